/*
 * libserialport, and the terminal requests that Swift cannot import: their codes are
 * macros with casts on some systems, and ioctl is variadic.
 */
#ifndef SERIAL_PORT_H
#define SERIAL_PORT_H

#include <libserialport.h>
#include <sys/ioctl.h>
#include <termios.h>

/* Later opens of the terminal by others fail with EBUSY (root excepted). 0, or -1 with errno. */
static inline int terminal_claim(int descriptor) { return ioctl(descriptor, TIOCEXCL); }

/* Takes the claim back. */
static inline int terminal_release(int descriptor) { return ioctl(descriptor, TIOCNXCL); }

/* Bytes written that the operating system has not sent yet. 0, or -1 with errno. */
static inline int terminal_unsent(int descriptor, int *count) {
    return ioctl(descriptor, TIOCOUTQ, count);
}

#endif
