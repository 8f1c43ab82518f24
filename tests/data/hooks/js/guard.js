// A policy hook: no shell command may remove files. Built with componentize-qjs against
// the world `small` (worlds.wit); that engine has neither console nor fetch.

import { count } from "murmur:runtime/tokens@0.3.0";

const none = () => ({ tag: "none" });

export const lifecycle = {
  onStage: none,
  onSessionStart: none,
  onTaskStart: none,
  onInference: none,
  onToolCall: none,
  onShell(event) {
    if (event.outcome != null || event.binary !== "/bin/rm") return none();
    const words = event.argv.join(" ");
    return { tag: "deny", val: `${event.binary} ${words} (${count(words)} tokens)` };
  },
  onCompaction: none,
  onTaskEnd: none,
  onSessionEnd: none,
};
