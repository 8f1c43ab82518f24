;; late-error: an async hook that returns err.
;;
;; The dispatcher does not wait for an async hook, so that its error cannot reach the caller.
;; It is logged, and noted as a fault with the arm error - a blocking hook's error is not.
(component
  (core module $late-error
    (import "base" "memory" (memory 1))
    (import "base" "error" (func $error (param i32 i32) (result i32)))

    (data (i32.const 1024) "nobody waits for this")

    (func (export "on-task-end") (param i32 i32 i32 i32) (result i32)
      (call $error (i32.const 1024) (i32.const 21))))

  ;; == Base: the same in every hook ====================================================
  (core module $base
    ;; Memory: 0 to 15 stay zero; 16 to 31 hold the answer; 32 to 8191 belong to the hook;
    ;; what the host passes in lies above.
    (memory (export "memory") 1)
    (global $top (mut i32) (i32.const 8192))

    ;; The host asks here for room for each string and list that it passes in. It never
    ;; makes a block larger, so that the first two parameters do not matter.
    (func (export "realloc") (param $old i32) (param $old-size i32) (param $align i32)
        (param $size i32) (result i32)
      (local $address i32) (local $missing i32)
      (local.set $address (i32.and (i32.add (global.get $top) (i32.const 7)) (i32.const -8)))
      (global.set $top (i32.add (local.get $address) (local.get $size)))
      ;; Pages of 64 KiB that are missing below the new top.
      (local.set $missing (i32.sub
        (i32.shr_u (i32.add (global.get $top) (i32.const 0xffff)) (i32.const 16))
        (memory.size)))
      (if (i32.gt_s (local.get $missing) (i32.const 0))
        (then (if (i32.lt_s (memory.grow (local.get $missing)) (i32.const 0))
          (then unreachable))))
      (local.get $address))

    ;; Called after the host has read an answer: everything passed in is free again.
    (func (export "release") (param $answer i32)
      (global.set $top (i32.const 8192)))

    ;; ok(arm(payload)). The payload of every arm but none is an address and a length.
    (func (export "answer") (param $arm i32) (param $address i32) (param $length i32)
        (result i32)
      (i32.store (i32.const 16) (i32.const 0))            ;; +0  0 for ok
      (i32.store (i32.const 20) (local.get $arm))         ;; +4  the arm's number
      (i32.store (i32.const 24) (local.get $address))     ;; +8  address of the payload
      (i32.store (i32.const 28) (local.get $length))      ;; +12 its length
      (i32.const 16))

    ;; err(text)
    (func (export "error") (param $address i32) (param $length i32) (result i32)
      (i32.store (i32.const 16) (i32.const 1))            ;; +0  1 for err
      (i32.store (i32.const 20) (local.get $address))     ;; +4  address of the text
      (i32.store (i32.const 24) (local.get $length))      ;; +8  its length
      (i32.const 16))

    ;; Writes a number in decimal; returns how many digits it has.
    (func $number (export "number") (param $address i32) (param $value i32) (result i32)
      (local $digits i32)
      (if (i32.ge_u (local.get $value) (i32.const 10))
        (then (local.set $digits
          (call $number (local.get $address) (i32.div_u (local.get $value) (i32.const 10))))))
      (i32.store8 (i32.add (local.get $address) (local.get $digits))
        (i32.add (i32.const 48) (i32.rem_u (local.get $value) (i32.const 10))))
      (i32.add (local.get $digits) (i32.const 1)))

    ;; One function per event that answers none: the zeros at 0 are ok(none). A string or a
    ;; list is passed as two values (address, length), an option as a flag and its payload.
    ;; An event of more than 16 values is passed as one pointer.
    (func (export "on-stage") (param i32 i32) (result i32) (i32.const 0))
    (func (export "on-session-start") (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)
      (result i32) (i32.const 0))
    (func (export "on-task-start") (param i32 i32 i32 i32 i32 i32 i64 i64 i64 i64)
      (result i32) (i32.const 0))
    (func (export "on-inference") (param i32) (result i32) (i32.const 0))
    (func (export "on-tool-call") (param i32 i32 i32 i64 i32 i32 i32 i64 i64 i32 i32)
      (result i32) (i32.const 0))
    (func (export "on-shell") (param i32) (result i32) (i32.const 0))
    (func (export "on-compaction") (param i32 i32 i64 f64 i32 i32 i32 i32 i32 i32)
      (result i32) (i32.const 0))
    (func (export "on-task-end") (param i32 i32 i32 i32) (result i32) (i32.const 0))
    (func (export "on-session-end") (param i32 i64 i64 i32 i32 i64 i32 i32)
      (result i32) (i32.const 0)))
  (core instance $base (instantiate $base))
  (alias core export $base "memory" (core memory $memory))
  (alias core export $base "realloc" (core func $realloc))
  (alias core export $base "release" (core func $release))
  ;; == End of base =====================================================================

  (core instance $late-error (instantiate $late-error (with "base" (instance $base))))
  ;; Who answers which event.
  (core instance $hook
    (export "on-stage" (func $base "on-stage"))
    (export "on-session-start" (func $base "on-session-start"))
    (export "on-task-start" (func $base "on-task-start"))
    (export "on-inference" (func $base "on-inference"))
    (export "on-tool-call" (func $base "on-tool-call"))
    (export "on-shell" (func $base "on-shell"))
    (export "on-compaction" (func $base "on-compaction"))
    (export "on-task-end" (func $late-error "on-task-end"))
    (export "on-session-end" (func $base "on-session-end")))

  ;; == Contract: murmur:hook/lifecycle@0.8.0, the same in every hook ===================
  (type $message (record (field "role" string) (field "content" string)
    (field "id" (option string)) (field "source-id" (option string))))
  (type $tool-manifest (record (field "binary-name" string) (field "content" string)))
  (type $hook-output (variant
    (case "none")                                         ;; 0
    (case "replace-context" (list $message))              ;; 1, honored at on-compaction
    (case "write-manifests" (list $tool-manifest))        ;; 2, at on-stage
    (case "artifact" string)                              ;; 3, at on-inference
    (case "reopen-task" string)                           ;; 4, at on-task-end
    (case "seed-context" (list $message))                 ;; 5, at on-task-start
    (case "deny" string)))                                ;; 6, before a call
  (type $answer (result $hook-output (error string)))

  (type $stage-event (record (field "shell-allow" (list string))))
  (type $session-context (record (field "capsule-name" string)
    (field "capsule-version" string) (field "session-id" string) (field "model" string)
    (field "capabilities" (list string))))
  (type $task-start-event (record (field "task-id" string) (field "context-id" string)
    (field "source" string) (field "input-bytes" u64) (field "budget-tokens" u64)
    (field "context-window" u64) (field "prior-tokens" u64)))
  (type $inference-event (record (field "turn" u32) (field "input-tokens" u64)
    (field "output-tokens" u64) (field "decision" string)
    (field "tool-name" (option string)) (field "prompt" (option string))
    (field "output" (option string)) (field "tools" (option string))))
  (type $tool-outcome (record (field "output-bytes" u64) (field "duration-ms" u64)
    (field "status" string)))
  (type $tool-event (record (field "turn" u32) (field "tool-name" string)
    (field "input-bytes" u64) (field "input" string)
    (field "outcome" (option $tool-outcome))))
  (type $shell-outcome (record (field "exit-code" s32) (field "stdout" string)
    (field "stderr" string) (field "stdout-bytes" u64) (field "stderr-bytes" u64)
    (field "duration-ms" u64)))
  (type $shell-event (record (field "turn" u32) (field "binary" string)
    (field "command" string) (field "argv" (list string)) (field "script" (option string))
    (field "recipe" (option string)) (field "outcome" (option $shell-outcome))))
  (type $compaction-event (record (field "messages" (list $message))
    (field "session-tokens" u64) (field "threshold" f64) (field "model" (option string))
    (field "system-prompt" (option string))))
  (type $task-end-event (record (field "task-id" string) (field "exit-status" string)))
  (type $session-end-event (record (field "total-turns" u32)
    (field "total-input-tokens" u64) (field "total-output-tokens" u64)
    (field "total-tool-calls" u32) (field "total-shell-calls" u32)
    (field "duration-ms" u64) (field "exit-status" string)))

  (func $on-stage (param "event" $stage-event) (result $answer) (canon lift
    (core func $hook "on-stage") (memory $memory) (realloc $realloc) (post-return $release)))
  (func $on-session-start (param "ctx" $session-context) (result $answer) (canon lift
    (core func $hook "on-session-start")
    (memory $memory) (realloc $realloc) (post-return $release)))
  (func $on-task-start (param "event" $task-start-event) (result $answer) (canon lift
    (core func $hook "on-task-start")
    (memory $memory) (realloc $realloc) (post-return $release)))
  (func $on-inference (param "event" $inference-event) (result $answer) (canon lift
    (core func $hook "on-inference")
    (memory $memory) (realloc $realloc) (post-return $release)))
  (func $on-tool-call (param "event" $tool-event) (result $answer) (canon lift
    (core func $hook "on-tool-call")
    (memory $memory) (realloc $realloc) (post-return $release)))
  (func $on-shell (param "event" $shell-event) (result $answer) (canon lift
    (core func $hook "on-shell") (memory $memory) (realloc $realloc) (post-return $release)))
  (func $on-compaction (param "event" $compaction-event) (result $answer) (canon lift
    (core func $hook "on-compaction")
    (memory $memory) (realloc $realloc) (post-return $release)))
  (func $on-task-end (param "event" $task-end-event) (result $answer) (canon lift
    (core func $hook "on-task-end")
    (memory $memory) (realloc $realloc) (post-return $release)))
  (func $on-session-end (param "event" $session-end-event) (result $answer) (canon lift
    (core func $hook "on-session-end")
    (memory $memory) (realloc $realloc) (post-return $release)))

  ;; An exported instance holds every named type that its functions use. Only on-stage,
  ;; on-task-start and on-task-end may be left out.
  (instance $lifecycle
    (export "message" (type $message))
    (export "tool-manifest" (type $tool-manifest))
    (export "hook-output" (type $hook-output))
    (export "stage-event" (type $stage-event))
    (export "session-context" (type $session-context))
    (export "task-start-event" (type $task-start-event))
    (export "inference-event" (type $inference-event))
    (export "tool-outcome" (type $tool-outcome))
    (export "tool-event" (type $tool-event))
    (export "shell-outcome" (type $shell-outcome))
    (export "shell-event" (type $shell-event))
    (export "compaction-event" (type $compaction-event))
    (export "task-end-event" (type $task-end-event))
    (export "session-end-event" (type $session-end-event))
    (export "on-stage" (func $on-stage))
    (export "on-session-start" (func $on-session-start))
    (export "on-task-start" (func $on-task-start))
    (export "on-inference" (func $on-inference))
    (export "on-tool-call" (func $on-tool-call))
    (export "on-shell" (func $on-shell))
    (export "on-compaction" (func $on-compaction))
    (export "on-task-end" (func $on-task-end))
    (export "on-session-end" (func $on-session-end)))
  (export "murmur:hook/lifecycle@0.8.0" (instance $lifecycle))
)
