/*
 * Critical sections: a few lines that an interrupt must not see half done. A port with interrupts
 * defines both macros before this header is read, by the compiler's option `-include`. They keep
 * the interrupts of the core's bus and timer off and are a barrier to the compiler. A program with
 * one thread and no interrupts needs none.
 */
#ifndef BRIDGE_CRITICAL_H
#define BRIDGE_CRITICAL_H

#ifndef BRIDGE_CRITICAL_ENTER
#define BRIDGE_CRITICAL_ENTER
#define BRIDGE_CRITICAL_EXIT
#endif

#endif
