// A library that presents a pseudo-terminal as a USB serial port to the program that loads the
// library (LD_PRELOAD), and to the programs that this program starts.
//
// PORT_SHIM_ROOT names a folder. Files in its subfolders `dev`, `sys` and `proc` replace the
// system's files with the same path. For example, `dev/ttyACM7` is a link to the pseudo-terminal,
// `sys/class/tty` has the contents that the kernel provides for a USB serial port, and
// `proc/mounts` lists the mounted drives. `lines/N` is a named pipe for the pseudo-terminal
// /dev/pts/N: the library reports changes of DTR to this pipe as the lines `dtr on` and `dtr off`.
//
// PORT_SHIM_SYNC_MS is the time that each call of fsync takes, as on a slow drive.
//
// For a pseudo-terminal, the system provides settings, locks and exclusive use, but no modem lines.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define DESCRIPTORS_MAX 1024

// The modem lines of each descriptor. In the kernel, opening a port raises DTR and RTS
// (tty_port_open).
static int modem_lines[DESCRIPTORS_MAX];

#define REAL(name) (__extension__(__typeof__(&name)) dlsym(RTLD_NEXT, #name))

// ---- Paths ----

static bool begins_with(const char *path, const char *start) {
    return strncmp(path, start, strlen(start)) == 0;
}

static bool exists(const char *path) {
    return faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

// Stores the path of the file that replaces `path` in `buffer`, and returns it. If no file replaces
// `path`, returns `path` itself.
static const char *shown(const char *path, char *buffer) {
    const char *root = getenv("PORT_SHIM_ROOT");
    if (root == NULL || path == NULL ||
        !(begins_with(path, "/dev/tty") || begins_with(path, "/sys/") ||
          strcmp(path, "/proc/mounts") == 0)) {
        return path;
    }
    snprintf(buffer, PATH_MAX, "%s%s", root, path);
    bool is_class = strcmp(path, "/sys/class/tty") == 0;
    return is_class || exists(buffer) ? buffer : path;
}

// ---- Functions of the C library that take paths ----

#define SHOWN(path) shown(path, (char[PATH_MAX]){0})

static int note_lines(int descriptor) {
    if (descriptor >= 0 && descriptor < DESCRIPTORS_MAX) {
        modem_lines[descriptor] = TIOCM_DTR | TIOCM_RTS;
    }
    return descriptor;
}

static mode_t mode_of(int flags, va_list arguments) {
    return (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
}

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return note_lines(REAL(open)(SHOWN(path), flags, mode));
}

int open64(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return note_lines(REAL(open64)(SHOWN(path), flags, mode));
}

int __open_2(const char *path, int flags);

int __open_2(const char *path, int flags) { return note_lines(REAL(open)(SHOWN(path), flags)); }

int access(const char *path, int mode) { return REAL(access)(SHOWN(path), mode); }

int stat(const char *restrict path, struct stat *restrict information) {
    return REAL(stat)(SHOWN(path), information);
}

int lstat(const char *restrict path, struct stat *restrict information) {
    return REAL(lstat)(SHOWN(path), information);
}

int __lxstat(int version, const char *path, struct stat *information) {
    return REAL(__lxstat)(version, SHOWN(path), information);
}

ssize_t readlink(const char *restrict path, char *restrict buffer, size_t size) {
    return REAL(readlink)(SHOWN(path), buffer, size);
}

FILE *fopen(const char *restrict path, const char *restrict mode) {
    return REAL(fopen)(SHOWN(path), mode);
}

DIR *opendir(const char *path) { return REAL(opendir)(SHOWN(path)); }

// Resolves a path. A port is not a link, so the program must not detect that the name of the port
// is a link to another file.
char *realpath(const char *restrict path, char *restrict resolved) {
    char buffer[PATH_MAX];
    const char *real = shown(path, buffer);
    if (real == path || path == NULL || !begins_with(path, "/dev/")) {
        return REAL(realpath)(real, resolved);
    }
    if (access(path, F_OK) != 0) {
        return NULL;
    }
    return resolved == NULL ? strdup(path) : strcpy(resolved, path);
}

// ---- Drives ----

int fsync(int descriptor) {
    const char *milliseconds = getenv("PORT_SHIM_SYNC_MS");
    if (milliseconds != NULL) {
        usleep((useconds_t)atoi(milliseconds) * 1000);
    }
    return REAL(fsync)(descriptor);
}

// ---- Modem lines ----

// Reports DTR to the board at the other end.
static void tell(int descriptor, bool dtr) {
    const char *root = getenv("PORT_SHIM_ROOT");
    char name[64];
    char path[PATH_MAX];
    if (root == NULL || ttyname_r(descriptor, name, sizeof name) != 0 ||
        !begins_with(name, "/dev/pts/")) {
        return;
    }
    snprintf(path, sizeof path, "%s/lines/%s", root, name + strlen("/dev/pts/"));
    int pipe = REAL(open)(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (pipe == -1) {
        return;
    }
    const char *text = dtr ? "dtr on\n" : "dtr off\n";
    ssize_t written = write(pipe, text, strlen(text));
    (void)written;
    close(pipe);
}

static void set_lines(int descriptor, int lines) {
    bool was_on = (modem_lines[descriptor] & TIOCM_DTR) != 0;
    bool is_on = (lines & TIOCM_DTR) != 0;
    modem_lines[descriptor] = lines & (TIOCM_DTR | TIOCM_RTS);
    if (was_on != is_on) {
        tell(descriptor, is_on);
    }
}

static int move_lines(int descriptor, unsigned long request, int *argument) {
    int lines = modem_lines[descriptor];
    switch (request) {
    case TIOCMGET:
        *argument = lines | TIOCM_CTS | TIOCM_DSR | TIOCM_CD;
        break;
    case TIOCMSET:
        set_lines(descriptor, *argument);
        break;
    case TIOCMBIS:
        set_lines(descriptor, lines | *argument);
        break;
    case TIOCMBIC:
        set_lines(descriptor, lines & ~*argument);
        break;
    default:
        errno = ENOTTY;
        return -1;
    }
    return 0;
}

int ioctl(int descriptor, unsigned long request, ...) {
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    int result = REAL(ioctl)(descriptor, request, argument);
    bool is_missing = result == -1 && (errno == ENOTTY || errno == EINVAL);
    if (!is_missing || descriptor >= DESCRIPTORS_MAX || isatty(descriptor) != 1) {
        return result;
    }
    return move_lines(descriptor, request, argument);
}
