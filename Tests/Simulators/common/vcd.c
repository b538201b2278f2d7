#include "vcd.h"

#include "clock.h"

#include <inttypes.h>

// The unit of time in the file is 100 ns, so that readers that expand the file to samples remain
// fast.
#define UNITS_PER_US 10u

#define BITS 9u // the clocks of a byte and its ACK

void vcd_init(struct vcd *vcd, FILE *out) {
    *vcd = (struct vcd){.out = out, .scl = true, .sda = true};
    if (out != NULL) {
        fputs("$timescale 100 ns $end\n$scope module board $end\n"
              "$var wire 1 ! SCL $end\n$var wire 1 \" SDA $end\n"
              "$upscope $end\n$enddefinitions $end\n#0\n1!\n1\"\n",
              out);
    }
}

// ---- Edges ----

static void write_time(struct vcd *vcd, uint64_t when) {
    uint64_t time = when * UNITS_PER_US / CYCLES_PER_US;
    if (time > vcd->last) {
        vcd->last = time;
        fprintf(vcd->out, "#%" PRIu64 "\n", time);
    }
}

static void set_scl(struct vcd *vcd, uint64_t when, bool high) {
    if (vcd->scl != high) {
        vcd->scl = high;
        write_time(vcd, when);
        fputs(high ? "1!\n" : "0!\n", vcd->out);
    }
}

static void set_sda(struct vcd *vcd, uint64_t when, bool high) {
    if (vcd->sda != high) {
        vcd->sda = high;
        write_time(vcd, when);
        fputs(high ? "1\"\n" : "0\"\n", vcd->out);
    }
}

// ---- Bytes ----

// Writes the edges of a bit. SCL is low in the first half of the bit, while SDA changes, and high
// in the second half.
static void set_bit(struct vcd *vcd, uint64_t begin, bool one) {
    set_scl(vcd, begin, false);
    set_sda(vcd, begin + vcd->period / 8, one);
    set_scl(vcd, begin + vcd->period / 2, true);
}

static void set_byte(struct vcd *vcd, uint64_t begin, uint8_t byte, bool acknowledged) {
    for (unsigned bit = 0; bit < BITS - 1; bit++) {
        set_bit(vcd, begin + bit * vcd->period, (byte >> (BITS - 2 - bit) & 1) != 0);
    }
    set_bit(vcd, begin + (BITS - 1) * vcd->period, !acknowledged);
    vcd->falls = begin + BITS * vcd->period;
}

// Completes the previous action: the byte that was read, and the ACK bit.
static void complete(struct vcd *vcd, bool acknowledges) {
    if (vcd->is_read) {
        set_byte(vcd, vcd->began, vcd->byte, acknowledges);
        vcd->is_read = false;
    }
    if (vcd->is_open) {
        set_scl(vcd, vcd->falls, false);
    }
}

// ---- Actions ----

void vcd_start(struct vcd *vcd, uint64_t when, uint64_t period) {
    if (vcd->out == NULL) {
        return;
    }
    complete(vcd, false);
    vcd->period = period;
    set_sda(vcd, when - period, true);
    set_scl(vcd, when - period + period / 4, true);
    set_sda(vcd, when - period / 2, false);
    set_scl(vcd, when, false);
    vcd->falls = when;
    vcd->is_open = true;
}

void vcd_write(struct vcd *vcd, uint64_t when, uint8_t byte, bool acknowledged) {
    if (vcd->out != NULL) {
        complete(vcd, false);
        uint64_t duration = BITS * vcd->period - vcd->period / 2;
        set_byte(vcd, when - duration, byte, acknowledged);
    }
}

void vcd_read(struct vcd *vcd, uint64_t when, uint8_t byte) {
    if (vcd->out != NULL) {
        complete(vcd, true);
        vcd->is_read = true;
        vcd->byte = byte;
        vcd->began = when;
    }
}

// The file ends with a time that is later than the last edge, because readers ignore an edge at the
// end of the file.
void vcd_stop(struct vcd *vcd, uint64_t when) {
    if (vcd->out == NULL) {
        return;
    }
    complete(vcd, false);
    vcd->is_open = false;
    set_sda(vcd, when - vcd->period, false);
    set_scl(vcd, when - vcd->period / 2, true);
    set_sda(vcd, when, true);
    write_time(vcd, when + CYCLES_PER_US);
    fflush(vcd->out);
}

void vcd_abandon(struct vcd *vcd, uint64_t when) {
    if (vcd->out != NULL && vcd->is_open) {
        vcd->is_read = false;
        vcd->is_open = false;
        set_sda(vcd, when, true);
        set_scl(vcd, when, true);
    }
}

void vcd_levels(struct vcd *vcd, uint64_t when, bool scl, bool sda) {
    if (vcd->out == NULL) {
        return;
    }
    if (!vcd->is_open) {
        set_sda(vcd, when, sda);
        set_scl(vcd, when, scl);
    } else if (!scl) {
        set_scl(vcd, when, false);
    }
}
