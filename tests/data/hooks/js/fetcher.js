// A hook that fetches what a shell event asks for: argv is [url, how], and the answer is
// one line of JSON. Built with componentize-js against the world `small` (worlds.wit).

import { count } from "murmur:runtime/tokens@0.3.0";

const none = () => ({ tag: "none" });

const readers = {
  // The whole body as text.
  text: async (response) => ({ text: await response.text() }),
  // The whole body in the hook's own memory.
  buffer: async (response) => ({ bytes: (await response.arrayBuffer()).byteLength }),
  // The body piece by piece; nothing is kept.
  stream: async (response) => {
    let bytes = 0;
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { bytes };
      bytes += value.byteLength;
    }
  },
  // The body is not looked at, and where a redirect points to is fetched as well.
  follow: async (response) => {
    const target = response.headers.get("location");
    return { location: target, then: await answer(target, "text") };
  },
  // The body is not looked at.
  status: async () => ({}),
};

async function answer(url, how) {
  try {
    const response = await fetch(url);
    return { status: response.status, ...(await readers[how](response)) };
  } catch (error) {
    return { failed: error.name, text: error.message };
  }
}

export const lifecycle = {
  onStage: none,
  onSessionStart(ctx) {
    console.log(`started in ${ctx.capsuleName}, ${count("hello world")} tokens`);
    return none();
  },
  onTaskStart: none,
  onInference: none,
  onToolCall: none,
  async onShell(event) {
    const [url, how] = event.argv;
    console.log(JSON.stringify(await answer(url, how)));
    return none();
  },
  onCompaction: none,
  onTaskEnd: none,
  onSessionEnd: none,
};
