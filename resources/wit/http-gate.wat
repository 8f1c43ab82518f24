;; The gate in front of wasi:http/outgoing-handler.
;;
;; A hook's import of outgoing-handler is answered by a host function that passes its
;; arguments on, untouched, to the export `handle` of this component. The gate reads what
;; the request is about, asks the host's policy, and then either hands the request to the
;; real outgoing-handler or drops it and answers with an error code. So no resource and no
;; error code ever has to be understood outside of WebAssembly: the policy sees four plain
;; values, and ownership is kept by the rules of the component model.
;;
;;   handle(request, options) ──▶ judge(method, scheme, authority, path) ──▶ verdict
;;        forward     the real handle, with its answer
;;        deny        both handles dropped, err(HTTP-request-denied)
;;        bad-scheme  both handles dropped, err(HTTP-protocol-error)
(component
  ;; -- imports ------------------------------------------------------------------------

  (import "wasi:http/types@0.2.0" (instance $types
    (export "outgoing-request" (type $request (sub resource)))
    (export "request-options" (type (sub resource)))
    (export "future-incoming-response" (type (sub resource)))

    (type $method-shape (variant
      (case "get") (case "head") (case "post") (case "put") (case "delete")
      (case "connect") (case "options") (case "trace") (case "patch") (case "other" string)))
    (export "method" (type $method (eq $method-shape)))
    (type $scheme-shape (variant (case "HTTP") (case "HTTPS") (case "other" string)))
    (export "scheme" (type $scheme (eq $scheme-shape)))

    (type $dns-shape (record
      (field "rcode" (option string))
      (field "info-code" (option u16))))
    (export "DNS-error-payload" (type $dns (eq $dns-shape)))
    (type $alert-shape (record
      (field "alert-id" (option u8))
      (field "alert-message" (option string))))
    (export "TLS-alert-received-payload" (type $alert (eq $alert-shape)))
    (type $size-shape (record
      (field "field-name" (option string))
      (field "field-size" (option u32))))
    (export "field-size-payload" (type $size (eq $size-shape)))
    ;; The number of a case is its place; 15 and 35 are used below.
    (type $error-shape (variant
      (case "DNS-timeout")
      (case "DNS-error" $dns)
      (case "destination-not-found")
      (case "destination-unavailable")
      (case "destination-IP-prohibited")
      (case "destination-IP-unroutable")
      (case "connection-refused")
      (case "connection-terminated")
      (case "connection-timeout")
      (case "connection-read-timeout")
      (case "connection-write-timeout")
      (case "connection-limit-reached")
      (case "TLS-protocol-error")
      (case "TLS-certificate-error")
      (case "TLS-alert-received" $alert)
      (case "HTTP-request-denied")
      (case "HTTP-request-length-required")
      (case "HTTP-request-body-size" (option u64))
      (case "HTTP-request-method-invalid")
      (case "HTTP-request-URI-invalid")
      (case "HTTP-request-URI-too-long")
      (case "HTTP-request-header-section-size" (option u32))
      (case "HTTP-request-header-size" (option $size))
      (case "HTTP-request-trailer-section-size" (option u32))
      (case "HTTP-request-trailer-size" $size)
      (case "HTTP-response-incomplete")
      (case "HTTP-response-header-section-size" (option u32))
      (case "HTTP-response-header-size" $size)
      (case "HTTP-response-body-size" (option u64))
      (case "HTTP-response-trailer-section-size" (option u32))
      (case "HTTP-response-trailer-size" $size)
      (case "HTTP-response-transfer-coding" (option string))
      (case "HTTP-response-content-coding" (option string))
      (case "HTTP-response-timeout")
      (case "HTTP-upgrade-failed")
      (case "HTTP-protocol-error")
      (case "loop-detected")
      (case "configuration-error")
      (case "internal-error" (option string))))
    (export "error-code" (type $error-code (eq $error-shape)))

    (export "[method]outgoing-request.method"
      (func (param "self" (borrow $request)) (result $method)))
    (export "[method]outgoing-request.scheme"
      (func (param "self" (borrow $request)) (result (option $scheme))))
    (export "[method]outgoing-request.authority"
      (func (param "self" (borrow $request)) (result (option string))))
    (export "[method]outgoing-request.path-with-query"
      (func (param "self" (borrow $request)) (result (option string))))))

  (alias export $types "outgoing-request" (type $request))
  (alias export $types "request-options" (type $options))
  (alias export $types "future-incoming-response" (type $future))
  (alias export $types "method" (type $method))
  (alias export $types "scheme" (type $scheme))
  (alias export $types "error-code" (type $error-code))

  (import "wasi:http/outgoing-handler@0.2.0" (instance $handler
    (alias outer 1 $request (type $request-outside))
    (export "outgoing-request" (type $request (eq $request-outside)))
    (alias outer 1 $options (type $options-outside))
    (export "request-options" (type $options (eq $options-outside)))
    (alias outer 1 $future (type $future-outside))
    (export "future-incoming-response" (type $future (eq $future-outside)))
    (alias outer 1 $error-code (type $error-code-outside))
    (export "error-code" (type $error-code (eq $error-code-outside)))
    (export "handle" (func
      (param "request" (own $request))
      (param "options" (option (own $options)))
      (result (result (own $future) (error $error-code)))))))

  ;; Answered by inspector/runtime/host/http_gate.py; the cases of `verdict` are numbered
  ;; from 0 in this order.
  (import "inspector:http-gate/policy" (instance $policy
    (alias outer 1 $method (type $method-outside))
    (export "method" (type $method (eq $method-outside)))
    (alias outer 1 $scheme (type $scheme-outside))
    (export "scheme" (type $scheme (eq $scheme-outside)))
    (type $verdict-shape (enum "forward" "deny" "bad-scheme"))
    (export "verdict" (type $verdict (eq $verdict-shape)))
    (export "judge" (func
      (param "method" $method)
      (param "scheme" (option $scheme))
      (param "authority" (option string))
      (param "path-with-query" (option string))
      (result $verdict)))))

  ;; -- memory -------------------------------------------------------------------------
  ;; Bytes 0 to 1023 hold the result areas named below. Above them texts are put one after
  ;; the other and forgotten with the next request; the memory grows when they need it.
  ;;
  ;;   64  method: case at 0, text at 4 and 8
  ;;   96  option<scheme>: some at 0, case at 4, text at 8 and 12
  ;;  128  option<string>, the authority: some at 0, text at 4 and 8
  ;;  160  option<string>, the path: some at 0, text at 4 and 8
  ;;  256  result<own<future>, error-code>: err at 0, then handle or error case at 8
  (core module $store
    (memory (export "memory") 1)
    (global $next (mut i32) (i32.const 1024))
    ;; realloc(old, old-size, align, new-size): the canonical ABI never shrinks or moves
    ;; anything here, so old blocks need not be found again.
    (func (export "realloc") (param i32 i32) (param $align i32) (param $size i32) (result i32)
      (local $at i32) (local $missing i32)
      (local.set $at (i32.and
        (i32.sub (i32.add (global.get $next) (local.get $align)) (i32.const 1))
        (i32.sub (i32.const 0) (local.get $align))))
      (global.set $next (i32.add (local.get $at) (local.get $size)))
      (if (i32.lt_u (global.get $next) (local.get $at)) (then unreachable))
      (local.set $missing (i32.sub
        (i32.add (i32.shr_u (i32.sub (global.get $next) (i32.const 1)) (i32.const 16))
                 (i32.const 1))
        (memory.size)))
      (if (i32.gt_s (local.get $missing) (i32.const 0))
        (then (if (i32.eq (memory.grow (local.get $missing)) (i32.const -1))
          (then unreachable))))
      (local.get $at))
    (func (export "reset") (global.set $next (i32.const 1024))))
  (core instance $s (instantiate $store))
  (alias core export $s "memory" (core memory $memory))
  (alias core export $s "realloc" (core func $realloc))

  ;; -- the imports as core functions --------------------------------------------------

  (core func $method-of (canon lower (func $types "[method]outgoing-request.method")
    (memory $memory) (realloc $realloc) string-encoding=utf8))
  (core func $scheme-of (canon lower (func $types "[method]outgoing-request.scheme")
    (memory $memory) (realloc $realloc) string-encoding=utf8))
  (core func $authority-of (canon lower (func $types "[method]outgoing-request.authority")
    (memory $memory) (realloc $realloc) string-encoding=utf8))
  (core func $path-of (canon lower (func $types "[method]outgoing-request.path-with-query")
    (memory $memory) (realloc $realloc) string-encoding=utf8))
  (core func $judge (canon lower (func $policy "judge")
    (memory $memory) string-encoding=utf8))
  (core func $send (canon lower (func $handler "handle")
    (memory $memory) (realloc $realloc) string-encoding=utf8))
  (core func $drop-request (canon resource.drop $request))
  (core func $drop-options (canon resource.drop $options))

  ;; -- the gate -----------------------------------------------------------------------

  (core module $gate
    (import "store" "memory" (memory 1))
    (import "store" "reset" (func $reset))
    (import "http" "method-of" (func $method-of (param i32 i32)))
    (import "http" "scheme-of" (func $scheme-of (param i32 i32)))
    (import "http" "authority-of" (func $authority-of (param i32 i32)))
    (import "http" "path-of" (func $path-of (param i32 i32)))
    (import "http" "judge" (func $judge
      (param i32 i32 i32  i32 i32 i32 i32  i32 i32 i32  i32 i32 i32) (result i32)))
    (import "http" "send" (func $send (param i32 i32 i32 i32)))
    (import "http" "drop-request" (func $drop-request (param i32)))
    (import "http" "drop-options" (func $drop-options (param i32)))

    (func $verdict (param $request i32) (result i32)
      (call $method-of (local.get $request) (i32.const 64))
      (call $scheme-of (local.get $request) (i32.const 96))
      (call $authority-of (local.get $request) (i32.const 128))
      (call $path-of (local.get $request) (i32.const 160))
      ;; Numbers of cases are single bytes. Text fields of a case without text hold
      ;; whatever was there; the ABI does not look at them.
      (call $judge
        (i32.load8_u (i32.const 64)) (i32.load (i32.const 68)) (i32.load (i32.const 72))
        (i32.load8_u (i32.const 96)) (i32.load8_u (i32.const 100))
        (i32.load (i32.const 104)) (i32.load (i32.const 108))
        (i32.load8_u (i32.const 128)) (i32.load (i32.const 132)) (i32.load (i32.const 136))
        (i32.load8_u (i32.const 160)) (i32.load (i32.const 164)) (i32.load (i32.const 168))))

    ;; handle(request, options is some, options) -> where the result is
    (func (export "handle")
        (param $request i32) (param $has-options i32) (param $options i32) (result i32)
      (local $verdict i32)
      (call $reset)
      (local.set $verdict (call $verdict (local.get $request)))
      (if (i32.eqz (local.get $verdict))
        (then
          (call $send (local.get $request) (local.get $has-options) (local.get $options)
            (i32.const 256))
          (return (i32.const 256))))
      (call $drop-request (local.get $request))
      (if (local.get $has-options) (then (call $drop-options (local.get $options))))
      (i32.store8 (i32.const 256) (i32.const 1))
      (i32.store8 (i32.const 264)
        (select (i32.const 15) (i32.const 35) (i32.eq (local.get $verdict) (i32.const 1))))
      (i32.const 256)))

  (core instance $g (instantiate $gate
    (with "store" (instance $s))
    (with "http" (instance
      (export "method-of" (func $method-of))
      (export "scheme-of" (func $scheme-of))
      (export "authority-of" (func $authority-of))
      (export "path-of" (func $path-of))
      (export "judge" (func $judge))
      (export "send" (func $send))
      (export "drop-request" (func $drop-request))
      (export "drop-options" (func $drop-options))))))

  (func (export "handle")
    (param "request" (own $request))
    (param "options" (option (own $options)))
    (result (result (own $future) (error $error-code)))
    (canon lift (core func $g "handle")
      (memory $memory) (realloc $realloc) string-encoding=utf8))
)
