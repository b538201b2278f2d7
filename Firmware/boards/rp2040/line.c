#include "line.h"

#include "board.h"
#include "usb.h"

/* ---- From the host ----------------------------------------------------------------------- */

/* Packets that wait for the loop. While there is no room the endpoint is not armed, and the host
   keeps what it has: nothing is ever lost, and the buffer need not hold the link window. Few
   packets, so that a burst is taken at the pace of the loop and not at that of the bus. */
#define PACKETS 16

struct packet {
    uint32_t words[USB_PACKET_SIZE / 4];
    uint32_t stamp_us;
    uint8_t size;
};

static struct packet packets[PACKETS];
static volatile uint8_t packets_head; /**< packets received, modulo 256; the interrupt's */
static volatile uint8_t packets_tail; /**< packets taken, modulo 256; the loop's */
static uint8_t position;              /**< bytes taken of the packet at the tail */
_Static_assert(256 % PACKETS == 0, "running counts lead to a place");

static inline bool has_room(void) { return (uint8_t)(packets_head - packets_tail) < PACKETS; }

void line_receive_packet(const volatile uint32_t *words, uint8_t size, uint32_t stamp_us) {
    struct packet *packet = &packets[packets_head % PACKETS];
    for (uint8_t word = 0; word < (size + 3) / 4; word++) {
        packet->words[word] = words[word];
    }
    packet->stamp_us = stamp_us;
    packet->size = size;
    if (size) {
        board_order_memory();
        packets_head++;
    }
}

uint8_t board_peek(const uint8_t **bytes, uint32_t *stamp_us) {
    if (packets_head == packets_tail) {
        return 0;
    }
    const struct packet *packet = &packets[packets_tail % PACKETS];
    *bytes = (const uint8_t *)packet->words + position;
    *stamp_us = packet->stamp_us;
    return (uint8_t)(packet->size - position);
}

/* The last byte of a packet makes room for one, for which the endpoint may have to be armed. */
void board_drop(uint8_t count) {
    position = (uint8_t)(position + count);
    if (position == packets[packets_tail % PACKETS].size) {
        position = 0;
        board_order_memory();
        packets_tail++;
        if ((uint8_t)(packets_head - packets_tail) == PACKETS - 1) {
            usb_request_service();
        }
    }
}

uint16_t board_lost_bytes(void) { return 0; }

/* ---- To the host ------------------------------------------------------------------------- */

/* Bytes that wait for the host. A frame is shown to the interrupt as a whole, so that it leaves in
   one packet if it fits. */
#define SENT_SIZE 1024
_Static_assert(SENT_SIZE >= 2 * BRIDGE_FRAME_MAX, "a frame waits while another one leaves");

static uint8_t sent[SENT_SIZE];
static uint16_t sent_end;           /**< bytes written, modulo 65,536; the loop's */
static volatile uint16_t sent_head; /**< those of whole frames; the loop's */
static volatile uint16_t sent_tail; /**< bytes taken, modulo 65,536; the interrupt's */
static bool is_open;
static bool ends_transfer; /**< the last packet was a full one: a shorter one must follow */

bool board_can_send(void) { return (uint16_t)(sent_end - sent_tail) < SENT_SIZE; }

void board_send(uint8_t byte) {
    sent[sent_end++ % SENT_SIZE] = byte;
    if (byte == BRIDGE_DELIMITER) {
        board_order_memory();
        sent_head = sent_end;
        usb_request_service();
    }
}

void line_set_open(bool opens) {
    is_open = opens;
    ends_transfer = false;
}

static void send_packet(void) {
    uint16_t waiting = (uint16_t)(sent_head - sent_tail);
    if (!is_open) {
        sent_tail = sent_head;
        return;
    }
    if ((!waiting && !ends_transfer) || !usb_can_send()) {
        return;
    }
    uint32_t words[USB_PACKET_SIZE / 4];
    uint8_t size = 0;
    for (; size < waiting && size < USB_PACKET_SIZE; size++) {
        ((uint8_t *)words)[size] = sent[(sent_tail + size) % SENT_SIZE];
    }
    sent_tail = (uint16_t)(sent_tail + size);
    ends_transfer = size == USB_PACKET_SIZE;
    usb_send_packet(words, size);
}

void line_service(void) {
    send_packet();
    if (has_room()) {
        usb_accept_packet();
    }
}

void line_start(void) { line_set_open(false); }
