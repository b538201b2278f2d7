/*
 * libserialport, and the requests to the system that Swift cannot import: their codes are
 * macros with casts on some systems, and ioctl and fcntl are variadic.
 */
#ifndef SERIAL_PORT_H
#define SERIAL_PORT_H

#include <fcntl.h>
#include <libserialport.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/sysmacros.h>
#endif

/* Later opens of the terminal by others fail with EBUSY (root excepted). 0, or -1 with errno. */
static inline int terminal_claim(int descriptor) { return ioctl(descriptor, TIOCEXCL); }

/* Takes the claim back. */
static inline int terminal_release(int descriptor) { return ioctl(descriptor, TIOCNXCL); }

/* Bytes written that the operating system has not sent yet. 0, or -1 with errno. */
static inline int terminal_unsent(int descriptor, int *count) {
    return ioctl(descriptor, TIOCOUTQ, count);
}

#ifdef __linux__

/* The C library declares it only to programs that ask for GNU extensions. */
int pipe2(int ends[2], int flags);

/* F_OFD_SETLK, which is declared to the same programs only. */
#define TERMINAL_OFD_SETLK 37

/*
 * Locks the file with a kind of lock that is independent of flock and, like it, belongs to the open
 * file. 0, or -1 with errno.
 */
static inline int terminal_reserve(int descriptor, bool on) {
    struct flock whole = {.l_type = on ? F_WRLCK : F_UNLCK, .l_whence = SEEK_SET};
    return fcntl(descriptor, TERMINAL_OFD_SETLK, &whole);
}

static inline unsigned device_major(unsigned long long device) { return major(device); }

static inline unsigned device_minor(unsigned long long device) { return minor(device); }

#else

/* There is no such lock here. */
static inline int terminal_reserve(int descriptor, bool on) {
    (void)descriptor, (void)on;
    return 0;
}

#endif

#endif
