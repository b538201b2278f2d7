/*
 * The control endpoint (USB 2.0 chapter 9, PSTN 1.2 section 6.3): requests from the host and their
 * answers. The interrupt in usb.c calls the first four functions. usb_arm and the functions after
 * it execute requests; usb.c implements them.
 */
#ifndef USB_CONTROL_H
#define USB_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

/** Discards the request in progress. */
void usb_control_reset(void);

/** Begins the request in the setup packet. */
void usb_control_begin(void);

/** Continues the request after a packet to the host. */
void usb_control_sent(void);

/** Continues the request after a packet from the host. */
void usb_control_received(void);

/** Returns true once a host has set the rate of the line to 1,200 baud, which requests the boot
    loader. */
bool usb_control_wants_boot_loader(void);

/** Passes a buffer to the controller; the control word selects the direction on the control
    pipe. */
void usb_arm(volatile uint32_t *buffer, uint32_t control);

/** Takes a buffer back from the controller, if the controller owns it. The packet in the buffer is
    lost. */
void usb_take_back(volatile uint32_t *buffer);

/** Starts or stops all endpoints except the control endpoint. */
void usb_set_configured(bool configured);

bool usb_is_configured(void);

/** Records the state of DTR, which the host sets when it opens the port. */
void usb_set_terminal(bool ready);

/** Reports whether an endpoint is halted. Returns false if there is no such endpoint. */
bool usb_is_halted(uint16_t address, bool *is_halted);

/** Halts an endpoint, or clears its halt. Returns false if there is no such endpoint. */
bool usb_set_halted(uint16_t address, bool is_halted);

/** Resets the endpoints of an interface. Returns false if there is no such interface. */
bool usb_restart_interface(uint16_t interface);

#endif
