#include "line.h"

#include "board.h"
#include "usb.h"

/* ---- From the host ----------------------------------------------------------------------- */

/* The packet that the loop is reading. The host cannot send the next packet before the loop has
   read the current packet, so bytes are not lost, and a buffer for the link window is not needed.
 */
static volatile uint8_t received; /**< the number of bytes in the packet; 0 if there is no packet */
static uint32_t received_us;
static uint8_t position; /**< the number of bytes that the loop has read */

void line_receive_packet(uint8_t size, uint32_t stamp_us) {
    received_us = stamp_us;
    board_order_memory();
    received = size;
}

uint8_t board_peek(const uint8_t **bytes, uint32_t *stamp_us) {
    uint8_t size = received;
    board_order_memory();
    *bytes = USB_PACKET_FROM_HOST + position;
    *stamp_us = received_us;
    return (uint8_t)(size - position);
}

void board_drop(uint8_t count) {
    position = (uint8_t)(position + count);
    if (position == received) {
        position = 0;
        board_order_memory();
        received = 0;
        usb_request_service();
    }
}

uint16_t board_lost_bytes(void) { return 0; }

/* ---- To the host ------------------------------------------------------------------------- */

/* The packet to the host, which contains a frame or a part of a frame. The loop writes the packet
   and then passes it to the interrupt. */
static volatile enum { WRITING, WAITING, LEAVING } packet;
static uint8_t written; /**< number of bytes in the packet */
static bool ends_full; /**< true if a frame ends with this packet and the packet is full, so that an
                          empty packet must follow */
static volatile bool is_opened; /**< true if the host has opened the port */

bool board_can_send(void) { return packet == WRITING || !is_opened; }

/* Sends a byte. While the host has not opened the port, bytes are discarded here if the preceding
   packet cannot be sent. */
void board_send(uint8_t byte) {
    if (packet != WRITING) {
        return;
    }
    bool ends = byte == BRIDGE_DELIMITER;
    USB_PACKET_TO_HOST[written++] = byte;
    if (ends || written == USB_PACKET_SIZE) {
        ends_full = ends && written == USB_PACKET_SIZE;
        board_order_memory();
        packet = WAITING;
        usb_request_service();
    }
}

static void take_back(void) {
    written = 0;
    board_order_memory();
    packet = WRITING;
}

void line_end_packet(bool has_left) {
    if (packet != LEAVING) {
        return;
    }
    if (has_left && ends_full) {
        ends_full = false;
        usb_send_packet(0);
    } else {
        take_back();
    }
}

void line_set_open(bool is_open) { is_opened = is_open; }

void line_service(void) {
    if (packet == WAITING && !is_opened) {
        take_back();
    } else if (packet == WAITING && usb_can_send()) {
        packet = LEAVING;
        usb_send_packet(written);
    }
    if (!received) {
        usb_accept_packet();
    }
}
