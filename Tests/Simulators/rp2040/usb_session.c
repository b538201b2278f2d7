#include "usb_session.h"

#include <inttypes.h>

#define DEBOUNCE_CYCLES (100u * CYCLES_PER_MS) // HUB_DEBOUNCE_STABLE
#define RESET_CYCLES (60u * CYCLES_PER_MS)     // HUB_ROOT_RESET_TIME
#define RECOVER_CYCLES (50u * CYCLES_PER_MS)   // TRSTRCY plus a margin
#define SETTLE_CYCLES (10u * CYCLES_PER_MS)    // the recovery time after SET_ADDRESS
#define TIMEOUT_CYCLES (5000u * CYCLES_PER_MS) // USB_CTRL_GET_TIMEOUT

#define TRIES_MAX 4u // PORT_INIT_TRIES
#define ADDRESS_MAX 127u

#define FIRST_LENGTH 64u   // GET_DESCRIPTOR_BUFSIZE
#define STRING_LENGTH 255u // usb_string_sub

#define TO_DEVICE 0x00u
#define FROM_DEVICE 0x80u
#define SET_ADDRESS 5u
#define GET_DESCRIPTOR 6u
#define SET_CONFIGURATION 9u
#define LANGUAGE 0x0409u

static void say(const struct usb_session *session, const char *what) {
    trace_line(session->machine->trace, "usb %" PRIu64 " %s", session->host->when, what);
}

// ---- Requests ----

static void wait_for(struct usb_session *session, uint64_t cycles) {
    schedule_at(session->machine->schedule, &session->wait, session->host->when + cycles);
}

static void ask(struct usb_session *session, uint8_t direction, uint8_t request, unsigned value,
                unsigned index, size_t length) {
    session->transfer.data = session->reply;
    session->transfer.length = length;
    const uint8_t setup[SETUP_PACKET_SIZE] = {direction,       request,
                                              (uint8_t)value,  (uint8_t)(value >> 8),
                                              (uint8_t)index,  (uint8_t)(index >> 8),
                                              (uint8_t)length, (uint8_t)(length >> 8)};
    for (size_t at = 0; at < SETUP_PACKET_SIZE; at++) {
        session->transfer.setup[at] = setup[at];
    }
    wait_for(session, TIMEOUT_CYCLES);
    usb_host_submit(session->host, &session->host->pipes[0], &session->transfer, false);
}

static void get_descriptor(struct usb_session *session, unsigned type, unsigned number,
                           unsigned language, size_t length) {
    ask(session, FROM_DEVICE, GET_DESCRIPTOR, type << 8 | number, language, length);
}

// ---- Steps ----

static void enter(struct usb_session *session, enum usb_session_step step) {
    session->step = step;
    switch (step) {
    case USB_SESSION_RESETS:
    case USB_SESSION_RESETS_AGAIN:
        usb_host_reset(session->host, RESET_CYCLES);
        break;
    case USB_SESSION_RECOVERS:
    case USB_SESSION_RECOVERS_AGAIN:
        wait_for(session, RECOVER_CYCLES);
        break;
    case USB_SESSION_READS_FIRST:
        get_descriptor(session, DESCRIPTOR_DEVICE, 0, 0, FIRST_LENGTH);
        break;
    case USB_SESSION_SETS_ADDRESS:
        session->address = session->address == ADDRESS_MAX ? 1 : session->address + 1;
        ask(session, TO_DEVICE, SET_ADDRESS, session->address, 0, 0);
        break;
    case USB_SESSION_SETTLES:
        session->host->address = session->address;
        wait_for(session, SETTLE_CYCLES);
        break;
    case USB_SESSION_READS_DEVICE:
        if (session->driver.addressed != NULL) {
            session->driver.addressed(session->driver.owner);
            break;
        }
        get_descriptor(session, DESCRIPTOR_DEVICE, 0, 0, DEVICE_DESCRIPTOR_SIZE);
        break;
    case USB_SESSION_READS_HEAD:
        get_descriptor(session, DESCRIPTOR_CONFIGURATION, 0, 0, CONFIGURATION_HEAD_SIZE);
        break;
    case USB_SESSION_READS_CONFIGURATION:
        get_descriptor(session, DESCRIPTOR_CONFIGURATION, 0, 0,
                       session->reply[2] | (size_t)session->reply[3] << 8);
        break;
    case USB_SESSION_READS_LANGUAGES:
        get_descriptor(session, DESCRIPTOR_STRING, 0, 0, STRING_LENGTH);
        break;
    case USB_SESSION_READS_STRINGS:
        get_descriptor(session, DESCRIPTOR_STRING, session->strings[session->string], LANGUAGE,
                       STRING_LENGTH);
        break;
    case USB_SESSION_SETS_CONFIGURATION:
        ask(session, TO_DEVICE, SET_CONFIGURATION, session->function.configuration, 0, 0);
        break;
    case USB_SESSION_READS_MORE_STRINGS:
        get_descriptor(session, DESCRIPTOR_STRING, session->function.strings[session->string],
                       LANGUAGE, STRING_LENGTH);
        break;
    case USB_SESSION_CONFIGURED:
        session->failures = 0;
        session->driver.configured(session->driver.owner, &session->function);
        break;
    case USB_SESSION_OFF:
    case USB_SESSION_DEBOUNCES:
        break;
    }
}

// ---- Replies ----

static const char *check_reply(struct usb_session *session) {
    const uint8_t *reply = session->reply;
    size_t size = session->transfer.done;
    switch (session->step) {
    case USB_SESSION_READS_FIRST:
        return usb_check_device(reply, size);
    case USB_SESSION_READS_DEVICE:
        session->strings[0] = reply[15];
        session->strings[1] = reply[14];
        session->strings[2] = reply[16];
        return usb_check_device(reply, size);
    case USB_SESSION_READS_HEAD:
        return size == CONFIGURATION_HEAD_SIZE &&
                       (reply[2] | (size_t)reply[3] << 8) <= DESCRIPTORS_MAX
                   ? usb_check_configuration_head(reply, size)
                   : "the head of a configuration";
    case USB_SESSION_READS_CONFIGURATION:
        return usb_find_serial_function(reply, size, &session->function);
    case USB_SESSION_READS_LANGUAGES:
        return usb_check_string(reply, size) == NULL && reply[2] == (LANGUAGE & 0xFF) &&
                       reply[3] == LANGUAGE >> 8
                   ? NULL
                   : "US English as the first language";
    case USB_SESSION_READS_STRINGS:
    case USB_SESSION_READS_MORE_STRINGS:
        return usb_check_string(reply, size);
    default:
        return NULL;
    }
}

// Skips the strings that the device does not have.
static void skip_strings(struct usb_session *session) {
    while (session->string < 3 && session->strings[session->string] == 0) {
        session->string++;
    }
}

static void proceed_to_string(struct usb_session *session) {
    skip_strings(session);
    enter(session,
          session->string < 3 ? USB_SESSION_READS_STRINGS : USB_SESSION_SETS_CONFIGURATION);
}

static void proceed_to_more_strings(struct usb_session *session) {
    enter(session, session->string < session->function.string_count ? USB_SESSION_READS_MORE_STRINGS
                                                                    : USB_SESSION_CONFIGURED);
}

// Continues the set-up after the end of a step.
static void proceed(struct usb_session *session) {
    switch (session->step) {
    case USB_SESSION_READS_CONFIGURATION:
        session->string = 0;
        skip_strings(session);
        enter(session,
              session->string < 3 ? USB_SESSION_READS_LANGUAGES : USB_SESSION_SETS_CONFIGURATION);
        break;
    case USB_SESSION_READS_LANGUAGES:
        proceed_to_string(session);
        break;
    case USB_SESSION_READS_STRINGS:
        session->string++;
        proceed_to_string(session);
        break;
    case USB_SESSION_SETS_CONFIGURATION:
        say(session, "configured");
        session->string = 0;
        proceed_to_more_strings(session);
        break;
    case USB_SESSION_READS_MORE_STRINGS:
        session->string++;
        proceed_to_more_strings(session);
        break;
    default:
        enter(session, session->step + 1);
        break;
    }
}

// Repeats the set-up, beginning with the reset, and ends after several attempts, as Linux does.
static void fail(struct usb_session *session, const char *why) {
    say(session, why);
    session->failures++;
    if (session->failures == TRIES_MAX && !session->is_excused) {
        machine_crash(session->machine, "USB: the device cannot be set up: %s", why);
    }
    enter(session, USB_SESSION_RESETS);
}

static void on_complete(void *owner, struct usb_transfer *transfer, enum usb_status status) {
    (void)transfer;
    struct usb_session *session = owner;
    schedule_cancel(session->machine->schedule, &session->wait);
    if (status == USB_GONE) {
        return;
    }
    if (status == USB_FAILED) {
        fail(session, "error");
        return;
    }
    const char *expected = status == USB_STALLED ? "no STALL" : check_reply(session);
    if (expected != NULL) {
        machine_crash(session->machine, "USB: request %02x %02x, value %02x%02x: expected %s",
                      session->transfer.setup[0], session->transfer.setup[1],
                      session->transfer.setup[3], session->transfer.setup[2], expected);
    }
    proceed(session);
}

static void on_wait_end(void *owner, uint64_t when) {
    struct usb_session *session = owner;
    session->host->when = when;
    if (session->transfer.is_pending) {
        fail(session, "timeout");
    } else {
        proceed(session);
    }
}

// ---- The port ----

static void on_connected(void *owner, bool is_connected, uint64_t when) {
    (void)when;
    struct usb_session *session = owner;
    schedule_cancel(session->machine->schedule, &session->wait);
    session->is_excused = false;
    session->failures = 0;
    session->driver.gone(session->driver.owner);
    say(session, is_connected ? "attached" : "detached");
    session->step = is_connected ? USB_SESSION_DEBOUNCES : USB_SESSION_OFF;
    if (is_connected) {
        wait_for(session, DEBOUNCE_CYCLES);
    }
}

static void on_reset_done(void *owner, uint64_t when) {
    (void)when;
    proceed(owner);
}

struct usb_user usb_session_user(struct usb_session *session) {
    return (struct usb_user){
        .connected = on_connected, .reset_done = on_reset_done, .owner = session};
}

void usb_session_reset(struct usb_session *session) {
    if (session->step > USB_SESSION_DEBOUNCES) {
        schedule_cancel(session->machine->schedule, &session->wait);
        session->driver.gone(session->driver.owner);
        session->host->when = session->machine->now;
        enter(session, USB_SESSION_RESETS);
    }
}

void usb_session_init(struct usb_session *session, struct usb_host *host,
                      const struct usb_driver *driver) {
    *session = (struct usb_session){.host = host, .driver = *driver, .machine = host->machine};
    session->transfer.complete = on_complete;
    session->transfer.owner = session;
    schedule_add(host->machine->schedule, &session->wait, on_wait_end, session);
}
