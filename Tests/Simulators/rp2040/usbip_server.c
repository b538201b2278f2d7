#define _GNU_SOURCE // accept4
#include "usbip_server.h"

#include "pace.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define INPUT_MAX 4096u
#define NONE (-1)

static const char ready[] = "ready\n";

struct server {
    struct board *board;
    struct pace pace;
    int listener;
    int connection; // NONE if there is no connection
};

static bool listen_at(struct server *server, const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return false;
    }
    strcpy(address.sun_path, path);
    unlink(path);
    server->connection = NONE;
    server->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    return server->listener != NONE &&
           bind(server->listener, (const struct sockaddr *)&address, sizeof address) == 0 &&
           listen(server->listener, 1) == 0;
}

// ---- The connection ----

static void disconnect(struct server *server) {
    close(server->connection);
    server->connection = NONE;
    usbip_forget(&server->board->own.usbip);
}

// Writes to the host. If the host has disconnected, the error is ignored, because the end of the
// host's input also indicates the disconnection.
static void send_to_host(void *owner, const uint8_t *bytes, size_t size) {
    struct server *server = owner;
    size_t sent = 0;
    while (server->connection != NONE && sent < size) {
        ssize_t more = send(server->connection, &bytes[sent], size - sent, MSG_NOSIGNAL);
        if (more <= 0) {
            return;
        }
        sent += (size_t)more;
    }
}

static void greet(struct server *server) {
    send_to_host(server, (const uint8_t *)ready, sizeof ready - 1);
}

static void device_changed(void *owner) {
    struct server *server = owner;
    if (server->board->own.usbip.is_addressed) {
        greet(server);
    } else if (server->connection != NONE) {
        disconnect(server);
    }
}

static void look_for_host(struct server *server) {
    server->connection = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC);
    if (server->connection == NONE) {
        return;
    }
    if (server->board->own.usbip.is_addressed) {
        greet(server);
    } else {
        usb_host_plug(&server->board->own.usb_host, true);
    }
}

static void take_input(struct server *server) {
    uint8_t bytes[INPUT_MAX];
    ssize_t size = recv(server->connection, bytes, sizeof bytes, MSG_DONTWAIT);
    bool is_quiet = size < 0 && (errno == EAGAIN || errno == EINTR);
    bool is_right = size > 0 && usbip_take(&server->board->own.usbip, bytes, (size_t)size);
    if (!is_quiet && !is_right) {
        disconnect(server);
        usb_host_plug(&server->board->own.usb_host, false);
    }
}

// ---- Main loop ----

bool usbip_serve(struct board *board, const struct options *options) {
    static struct server server;
    server.board = board;
    if (!pace_open(&server.pace, board, options) || !listen_at(&server, options->own.usbip_path)) {
        return false;
    }
    board->own.usbip.send = send_to_host;
    board->own.usbip.changed = device_changed;
    board->own.usbip.owner = &server;
    printf("device %s\n", options->own.usbip_path);
    fflush(stdout);
    pace_begin(&server.pace);
    while (!pace_is_told_to_end()) {
        int host = server.connection == NONE ? server.listener : server.connection;
        pace_wait(&server.pace, (struct pollfd){.fd = host, .events = POLLIN});
        pace_run(&server.pace);
        if (server.connection == NONE) {
            look_for_host(&server);
        } else {
            take_input(&server);
        }
    }
    unlink(options->own.usbip_path);
    return true;
}
