/* What the core asks of the compiler. The macros cost nothing where they are not needed. */
#ifndef BRIDGE_COMPILER_H
#define BRIDGE_COMPILER_H

/** Keeps a function from being inlined. Where the compiler sees the whole program, it inlines
   functions with 32-bit arithmetic into callers that then have too few registers on 8-bit
   controllers. */
#ifdef __GNUC__
#define BRIDGE_NOINLINE __attribute__((noinline))
#else
#define BRIDGE_NOINLINE
#endif

/** Inlines a function always: an interrupt that calls a function saves all registers. */
#ifdef __GNUC__
#define BRIDGE_INLINE static inline __attribute__((always_inline))
#else
#define BRIDGE_INLINE static inline
#endif

/** Hides from the optimizer that a pointer is a known constant, so that it stays in a register: on
   an AVR an access to a field at an absolute address is twice as long as one relative to a pointer.
 */
#ifdef __AVR__
#define BRIDGE_OPTIMIZER_HIDE(pointer)                                                             \
    __extension__({                                                                                \
        __typeof__(pointer) held = (pointer);                                                      \
        __asm__("" : "+r"(held));                                                                  \
        if (!held) {                                                                               \
            __builtin_unreachable();                                                               \
        }                                                                                          \
        held;                                                                                      \
    })
#else
#define BRIDGE_OPTIMIZER_HIDE(pointer) (pointer)
#endif

#endif
