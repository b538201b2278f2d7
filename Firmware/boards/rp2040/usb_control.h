/*
 * The control endpoint (USB 2.0 chapter 9, PSTN 1.2 section 6.3): requests of the host and their
 * answers. usb.c calls the first four functions from its interrupt; the others are its own, which
 * requests call.
 */
#ifndef USB_CONTROL_H
#define USB_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

/** Forgets the request that is being served. */
void usb_control_reset(void);

/** Begins the request in the setup packet. */
void usb_control_begin(void);

/** Goes on after a packet to the host. */
void usb_control_sent(void);

/** Goes on after a packet from the host. */
void usb_control_received(void);

/** True once a host has set the rate of the line to 1,200 baud, by which it asks for the boot
    loader. */
bool usb_control_wants_boot_loader(void);

/** Hands a buffer to the controller; the control word says to which end. */
void usb_arm(volatile uint32_t *buffer, uint32_t control);

/** Takes a buffer back from the controller, whoever has it. What it held or was to receive is lost.
 */
void usb_take_back(volatile uint32_t *buffer);

/** Starts or stops all endpoints but the control endpoint. */
void usb_set_configured(bool configured);

bool usb_is_configured(void);

/** Notes DTR: whether the host has opened the port. */
void usb_set_terminal(bool ready);

/** Tells whether an endpoint is halted. Returns false if there is no such endpoint. */
bool usb_is_halted(uint16_t address, bool *is_halted);

/** Halts an endpoint, or lets it begin anew. Returns false if there is no such endpoint. */
bool usb_set_halted(uint16_t address, bool is_halted);

/** Lets the endpoints of an interface begin anew. Returns false if there is no such interface. */
bool usb_restart_interface(uint16_t interface);

#endif
