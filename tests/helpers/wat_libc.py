"""The core module under every double: memory, allocator, text buffer.

Lives here: its WAT. Not here: the code of a double (wat_step). Only tests.helpers.wat
imports it.

The text buffer is one growing text: `begin` empties it, `put` adds bytes, `text` and
`length` tell where it is, `resume` takes up an older one.
"""

LIBC = """(core module $libc
  (memory (export "memory") {pages})
  {segment}
  (global $top (mut i32) (i32.const {heap}))
  (global $text (mut i32) (i32.const 0))
  (global $length (mut i32) (i32.const 0))
  (func $realloc (export "realloc") (param $old i32) (param $old-size i32) (param $align i32)
      (param $size i32) (result i32)
    (local $new i32) (local $missing i32)
    ;; The newest block grows in place.
    (local.set $new
      (if (result i32) (i32.and (i32.ne (local.get $old-size) (i32.const 0))
          (i32.eq (i32.add (local.get $old) (local.get $old-size)) (global.get $top)))
        (then (local.get $old))
        (else (i32.and
          (i32.add (global.get $top) (i32.sub (local.get $align) (i32.const 1)))
          (i32.sub (i32.const 0) (local.get $align))))))
    (global.set $top (i32.add (local.get $new) (local.get $size)))
    (local.set $missing (i32.sub
      (i32.shr_u (i32.add (global.get $top) (i32.const 65535)) (i32.const 16)) (memory.size)))
    (if (i32.gt_s (local.get $missing) (i32.const 0))
      (then (if (i32.eq (memory.grow (local.get $missing)) (i32.const -1))
        (then unreachable))))
    (if (i32.ne (local.get $new) (local.get $old))
      (then (memory.copy (local.get $new) (local.get $old) (local.get $old-size))))
    (local.get $new))
  ;; After each call everything above the static memory is free again.
  (func (export "free") (param i32) (global.set $top (i32.const {heap})))
  (func (export "begin")
    (global.set $text (i32.const 0)) (global.set $length (i32.const 0)))
  (func (export "resume") (param $old-text i32) (param $old-length i32)
    (global.set $text (local.get $old-text)) (global.set $length (local.get $old-length)))
  (func (export "text") (result i32) (global.get $text))
  (func (export "length") (result i32) (global.get $length))
  (func $put (export "put") (param $address i32) (param $count i32)
    (global.set $text (call $realloc (global.get $text) (global.get $length) (i32.const 1)
      (i32.add (global.get $length) (local.get $count))))
    (memory.copy (i32.add (global.get $text) (global.get $length))
      (local.get $address) (local.get $count))
    (global.set $length (i32.add (global.get $length) (local.get $count))))
  (func $byte (param $value i32)
    (i32.store8 (i32.const 8) (local.get $value))
    (call $put (i32.const 8) (i32.const 1)))
  (func $decimal (export "decimal") (param $value i64)
    (if (i64.ge_u (local.get $value) (i64.const 10))
      (then (call $decimal (i64.div_u (local.get $value) (i64.const 10)))))
    (call $byte (i32.add (i32.const 48)
      (i32.wrap_i64 (i64.rem_u (local.get $value) (i64.const 10))))))
  (func (export "signed") (param $value i64)
    (if (i64.lt_s (local.get $value) (i64.const 0))
      (then
        (call $byte (i32.const 45))
        (local.set $value (i64.sub (i64.const 0) (local.get $value)))))
    (call $decimal (local.get $value)))
  (func $same-text (export "same-text") (param $a i32) (param $a-count i32) (param $b i32)
      (param $b-count i32) (result i32)
    (local $at i32)
    (if (i32.ne (local.get $a-count) (local.get $b-count)) (then (return (i32.const 0))))
    (block $done (loop $next
      (br_if $done (i32.eq (local.get $at) (local.get $a-count)))
      (if (i32.ne (i32.load8_u (i32.add (local.get $a) (local.get $at)))
                  (i32.load8_u (i32.add (local.get $b) (local.get $at))))
        (then (return (i32.const 0))))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br $next)))
    (i32.const 1))
  (func (export "equal") (param $address i32) (param $count i32) (result i32)
    (call $same-text (global.get $text) (global.get $length)
      (local.get $address) (local.get $count)))
  (func $nibble (param $value i32)
    (call $byte (i32.add (local.get $value)
      (select (i32.const 87) (i32.const 48) (i32.gt_u (local.get $value) (i32.const 9))))))
  (func (export "escape") (param $start i32)
    ;; Puts the buffer from `start` on again, as the inside of a JSON string.
    (local $at i32) (local $end i32) (local $value i32)
    (local.set $at (call $realloc (i32.const 0) (i32.const 0) (i32.const 1)
      (i32.sub (global.get $length) (local.get $start))))
    (local.set $end (i32.add (local.get $at)
      (i32.sub (global.get $length) (local.get $start))))
    (memory.copy (local.get $at) (i32.add (global.get $text) (local.get $start))
      (i32.sub (global.get $length) (local.get $start)))
    (global.set $length (local.get $start))
    (block $done (loop $next
      (br_if $done (i32.eq (local.get $at) (local.get $end)))
      (local.set $value (i32.load8_u (local.get $at)))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (if (i32.lt_u (local.get $value) (i32.const 32))
        (then
          (call $byte (i32.const 92)) (call $byte (i32.const 117))
          (call $byte (i32.const 48)) (call $byte (i32.const 48))
          (call $nibble (i32.shr_u (local.get $value) (i32.const 4)))
          (call $nibble (i32.and (local.get $value) (i32.const 15))))
        (else
          (if (i32.or (i32.eq (local.get $value) (i32.const 34))
                      (i32.eq (local.get $value) (i32.const 92)))
            (then (call $byte (i32.const 92))))
          (call $byte (local.get $value))))
      (br $next)))))
(core instance $libc (instantiate $libc))
(alias core export $libc "memory" (core memory $memory))
(alias core export $libc "realloc" (core func $realloc))
(alias core export $libc "free" (core func $free))"""
"""Memory, allocator and text buffer; the braces are filled in by wat."""

LIBC_IMPORTS = """(import "libc" "memory" (memory 1))
  (import "libc" "begin" (func $begin))
  (import "libc" "resume" (func $resume (param i32 i32)))
  (import "libc" "text" (func $text (result i32)))
  (import "libc" "length" (func $length (result i32)))
  (import "libc" "put" (func $put (param i32 i32)))
  (import "libc" "decimal" (func $decimal (param i64)))
  (import "libc" "signed" (func $signed (param i64)))
  (import "libc" "equal" (func $equal (param i32 i32) (result i32)))
  (import "libc" "same-text" (func $same-text (param i32 i32 i32 i32) (result i32)))
  (import "libc" "escape" (func $escape (param i32)))"""
"""What the module with a double's own code imports of it."""
