;; retired: built for lifecycle@0.5.0.
;;
;; A runtime accepts one version of the interface and no other. The launch of the whole
;; capsule ends there. Failure word: rejected.
(component
  ;; The version is looked at before anything is called, so that empty functions are enough.
  (core module $hook (func (export "empty")))
  (core instance $hook (instantiate $hook))
  (func $empty (canon lift (core func $hook "empty")))
  (instance $lifecycle
    (export "on-session-start" (func $empty))
    (export "on-inference" (func $empty))
    (export "on-tool-call" (func $empty))
    (export "on-shell" (func $empty))
    (export "on-compaction" (func $empty))
    (export "on-session-end" (func $empty)))
  (export "murmur:hook/lifecycle@0.5.0" (instance $lifecycle))
)
