/*
 * Critical sections: statements whose intermediate states must not be visible to an interrupt. A
 * port with interrupts defines both macros before this header is read, by means of the compiler
 * option `-include`. The macros disable the interrupts of the bus and the timer, and act as a
 * compiler barrier. A program with one thread and no interrupts does not need the macros.
 */
#ifndef BRIDGE_CRITICAL_H
#define BRIDGE_CRITICAL_H

#ifndef BRIDGE_CRITICAL_ENTER
#define BRIDGE_CRITICAL_ENTER
#define BRIDGE_CRITICAL_EXIT
#endif

#endif
