/*
 * Critical sections: statements whose intermediate states an interrupt must not see. A port with
 * interrupts defines both macros before this header is read, by the compiler's option `-include`.
 * They disable the interrupts of bus and timer, and are a barrier to the compiler. A program with
 * one thread and no interrupts needs none.
 */
#ifndef BRIDGE_CRITICAL_H
#define BRIDGE_CRITICAL_H

#ifndef BRIDGE_CRITICAL_ENTER
#define BRIDGE_CRITICAL_ENTER
#define BRIDGE_CRITICAL_EXIT
#endif

#endif
