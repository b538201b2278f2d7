// The two wires of the bus as a Value Change Dump (IEEE 1364), as a logic analyzer records them.
#ifndef VCD_H
#define VCD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// The functions have no effect without a file. Times are in cycles. An edge that would be earlier
// than the previous edge is written with the time of the previous edge.
struct vcd {
    FILE *out; // NULL if nothing is recorded

    // Internal state of vcd.c.
    uint64_t last; // the time of the last edge, in units of the file
    bool scl;
    bool sda;
    bool is_open;    // true between START and STOP
    bool is_read;    // true while a byte is being read
    uint8_t byte;    // the byte that is being read
    uint64_t period; // the period of SCL
    uint64_t began;  // the cycle at which the byte began
    uint64_t falls;  // the cycle at which SCL falls after an ACK bit
};

// Writes the header. SCL and SDA are initially high.
void vcd_init(struct vcd *vcd, FILE *out);

// ---- Actions of the controller ----

// Records that START or a repeated START has ended.
void vcd_start(struct vcd *vcd, uint64_t when, uint64_t period);
// Records that the middle of the ACK bit of a written byte has been reached.
void vcd_write(struct vcd *vcd, uint64_t when, uint8_t byte, bool acknowledged);
// Records that the reading of a byte begins. The controller acknowledges the byte if it then reads
// another byte.
void vcd_read(struct vcd *vcd, uint64_t when, uint8_t byte);
// Records that STOP has ended.
void vcd_stop(struct vcd *vcd, uint64_t when);
// Records that the controller has left the bus without STOP.
void vcd_abandon(struct vcd *vcd, uint64_t when);

// Records the levels of the wires. During a transaction, a wire is recorded only while a fault or a
// chip holds it.
void vcd_levels(struct vcd *vcd, uint64_t when, bool scl, bool sda);

#endif
