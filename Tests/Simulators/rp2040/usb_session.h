// The set-up of a device after it is plugged in. Like Linux (drivers/usb/core, with its "new
// scheme"), the host waits until the connection is stable, resets the port, assigns an address,
// reads the descriptors and sets the configuration.
#ifndef USB_SESSION_H
#define USB_SESSION_H

#include "usb_descriptors.h"
#include "usb_host.h"

#define DESCRIPTORS_MAX 512u

// The driver, which uses the device after its set-up.
struct usb_driver {
    // The pointer may be NULL. If it is not NULL, the function is called when the device has its
    // address, and the host neither reads the descriptors nor sets the configuration.
    void (*addressed)(void *owner);
    void (*configured)(void *owner, const struct usb_serial_function *function);
    void (*gone)(void *owner);
    void *owner;
};

enum usb_session_step {
    USB_SESSION_OFF,
    USB_SESSION_DEBOUNCES,
    USB_SESSION_RESETS,
    USB_SESSION_RECOVERS,
    USB_SESSION_READS_FIRST,
    USB_SESSION_RESETS_AGAIN,
    USB_SESSION_RECOVERS_AGAIN,
    USB_SESSION_SETS_ADDRESS,
    USB_SESSION_SETTLES,
    USB_SESSION_READS_DEVICE,
    USB_SESSION_READS_HEAD,
    USB_SESSION_READS_CONFIGURATION,
    USB_SESSION_READS_LANGUAGES,
    USB_SESSION_READS_STRINGS,
    USB_SESSION_SETS_CONFIGURATION,
    USB_SESSION_READS_MORE_STRINGS,
    USB_SESSION_CONFIGURED,
};

struct usb_session {
    struct usb_host *host;
    struct machine *machine;
    struct usb_driver driver;
    enum usb_session_step step;
    struct event wait;
    unsigned failures; // consecutive
    bool is_excused; // true if a command has caused the program to hang; the program then need not
                     // respond
    uint8_t address;
    uint8_t strings[3]; // product, manufacturer, serial number
    size_t string;      // the index of the string that is being read
    struct usb_transfer transfer;
    uint8_t reply[DESCRIPTORS_MAX];
    struct usb_serial_function function;
};

void usb_session_init(struct usb_session *session, struct usb_host *host,
                      const struct usb_driver *driver);
struct usb_user usb_session_user(struct usb_session *session);

// Resets the port and sets up the device again.
void usb_session_reset(struct usb_session *session);

#endif
