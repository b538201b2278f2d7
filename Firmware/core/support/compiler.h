/* Hints to the compiler. The macros have no effect where they are not needed. */
#ifndef BRIDGE_COMPILER_H
#define BRIDGE_COMPILER_H

/** Prevents a function from being inlined. A compiler that optimizes the whole program as one unit
    inlines functions with 32-bit arithmetic; on an 8-bit controller, the calling functions then run
    out of registers. */
#ifdef __GNUC__
#define BRIDGE_NOINLINE __attribute__((noinline))
#else
#define BRIDGE_NOINLINE
#endif

/** Forces a function to be inlined, because an interrupt that calls a function must save all
    registers. */
#ifdef __GNUC__
#define BRIDGE_INLINE static inline __attribute__((always_inline))
#else
#define BRIDGE_INLINE static inline
#endif

/** Hides the constant value of a pointer from the optimizer, so that the pointer stays in a
    register: on an AVR, an access to a field at an absolute address takes twice as long as an
    access relative to a pointer. */
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
