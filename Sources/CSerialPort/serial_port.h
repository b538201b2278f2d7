/*
 * libserialport, and system calls that Swift cannot import: the request codes are macros with casts
 * on some systems, and ioctl and fcntl are variadic.
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

/*
 * Makes later opens of the terminal fail with EBUSY, except by root. Returns 0, or sets errno and
 * returns -1.
 */
static inline int terminal_claim(int descriptor) { return ioctl(descriptor, TIOCEXCL); }

/* Releases the claim. */
static inline int terminal_release(int descriptor) { return ioctl(descriptor, TIOCNXCL); }

/*
 * Counts the written bytes that the operating system has not sent yet. Returns 0, or sets errno and
 * returns -1.
 */
static inline int terminal_unsent(int descriptor, int *count) {
    return ioctl(descriptor, TIOCOUTQ, count);
}

#ifdef __linux__

/* The C library declares this function only if GNU extensions are enabled. */
int pipe2(int ends[2], int flags);

/* F_OFD_SETLK, which is also declared only with GNU extensions. */
#define TERMINAL_OFD_SETLK 37

/*
 * Locks the file with a kind of lock that is independent of flock and, like a lock of flock,
 * belongs to the open file. Returns 0, or sets errno and returns -1.
 */
static inline int terminal_reserve(int descriptor, bool on) {
    struct flock whole = {.l_type = on ? F_WRLCK : F_UNLCK, .l_whence = SEEK_SET};
    return fcntl(descriptor, TERMINAL_OFD_SETLK, &whole);
}

static inline unsigned device_major(unsigned long long device) { return major(device); }

static inline unsigned device_minor(unsigned long long device) { return minor(device); }

#else

/* Other systems have no such lock. */
static inline int terminal_reserve(int descriptor, bool on) {
    (void)descriptor, (void)on;
    return 0;
}

#endif

#endif
