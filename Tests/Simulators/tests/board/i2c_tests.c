// Tests of DW_apb_i2c on the bus with a DRV2605L (datasheet 4.3).
#include "bench.h"

#include <string.h>

#define I2C0 0x40044000u
#define CON (I2C0 + 0x00)
#define TAR (I2C0 + 0x04)
#define DATA_CMD (I2C0 + 0x10)
#define HCNT (I2C0 + 0x1C)
#define LCNT (I2C0 + 0x20)
#define RAW_INTR_STAT (I2C0 + 0x34)
#define CLR_TX_ABRT (I2C0 + 0x54)
#define CLR_STOP_DET (I2C0 + 0x60)
#define ENABLE (I2C0 + 0x6C)
#define TXFLR (I2C0 + 0x74)
#define RXFLR (I2C0 + 0x78)
#define SDA_HOLD (I2C0 + 0x7C)
#define TX_ABRT_SOURCE (I2C0 + 0x80)
#define ENABLE_STATUS (I2C0 + 0x9C)
#define SPKLEN (I2C0 + 0xA0)

#define STOP (1u << 9)
#define READ (1u << 8)
#define RESTART (1u << 10)
#define TX_ABRT (1u << 6)
#define STOP_DET (1u << 9)

#define CHIP 0x5Au
#define SDA 4u
#define SCL 5u
#define EN 6u

// SCL is high for 38 + 3 + 7 cycles and low for 71 + 1 (4.3.14.1).
#define HIGH 48u
#define PERIOD 120u

#define PADS(pin) (0x4001C004u + 4 * (pin))
#define FUNCTION(pin) (0x40014004u + 8 * (pin))
#define SIO_OUT_SET 0xD0000014u
#define SIO_OE_SET 0xD0000024u

static struct bench *bench;

static void connect_pins(void) {
    const unsigned pins[] = {SDA, SCL};
    for (unsigned index = 0; index < 2; index++) {
        put(bench, PADS(pins[index]), 0x5A); // IE, 4 mA, pull-up, Schmitt trigger
        put(bench, FUNCTION(pins[index]), 3);
    }
}

static void enable_chip(void) {
    put(bench, FUNCTION(EN), 5);
    put(bench, SIO_OE_SET, 1u << EN);
    put(bench, SIO_OUT_SET, 1u << EN);
    bench_run(bench, CYCLES_PER_MS); // waits until the chip answers
}

static void set_up(void) {
    put(bench, CON, 0x65);
    put(bench, TAR, CHIP);
    put(bench, HCNT, 38);
    put(bench, LCNT, 71);
    put(bench, SPKLEN, 3);
    put(bench, SDA_HOLD, 15);
}

static void begin(void) {
    bench = bench_begin();
    connect_pins();
    enable_chip();
    set_up();
    put(bench, ENABLE, 1);
}

static void write_register(void) {
    put(bench, DATA_CMD, 0x16);
    put(bench, DATA_CMD, STOP | 0x42);
}

// Returns the last transaction in the trace, without the times of START and STOP. Stores the
// interval between these times.
static const char *last_transaction(uint64_t *cycles) {
    const char *line = strstr(bench_text(bench), "\ni2c ");
    const char *last = line;
    while (line != NULL) {
        last = line;
        line = strstr(line + 1, "\ni2c ");
    }
    unsigned long long from = 0;
    unsigned long long to = 0;
    int end = 0;
    if (last == NULL || sscanf(last, " i2c %llu %llu %n", &from, &to, &end) != 2) {
        return "";
    }
    *cycles = to - from;
    return &last[end];
}

static bool was(const char *expected) {
    uint64_t cycles = 0;
    return strncmp(last_transaction(&cycles), expected, strlen(expected)) == 0;
}

static uint64_t length(void) {
    uint64_t cycles = 0;
    last_transaction(&cycles);
    return cycles;
}

static void test_transfers(struct tests *tests) {
    begin();
    write_register();
    bench_run(bench, 3000);
    EXPECT(tests, "a transfer has not ended immediately",
           (get(bench, RAW_INTR_STAT) & STOP_DET) == 0);
    bench_run(bench, 1000);
    EXPECT(tests, "a write reaches the chip", was("B41642 ack 0"));
    EXPECT(tests, "a write takes the time of START, 27 bits and STOP",
           length() == HIGH + 28 * PERIOD);
    EXPECT(tests, "a write ends with STOP_DET", (get(bench, RAW_INTR_STAT) & STOP_DET) != 0);
    EXPECT(tests, "reading CLR_STOP_DET clears it",
           get(bench, CLR_STOP_DET) == 1 && (get(bench, RAW_INTR_STAT) & STOP_DET) == 0);
    put(bench, DATA_CMD, 0x16);
    put(bench, DATA_CMD, RESTART | READ | STOP);
    bench_run(bench, 6000);
    EXPECT(tests, "a read has a repeated START", was("B416B542 ack 0"));
    EXPECT(tests, "a read returns the byte",
           get(bench, RXFLR) == 1 && get(bench, DATA_CMD) == 0x42);
}

static void test_aborts(struct tests *tests) {
    begin();
    put(bench, ENABLE, 0);
    put(bench, TAR, 0x33);
    put(bench, ENABLE, 1);
    write_register();
    bench_run(bench, 3000);
    EXPECT(tests, "an address without ACK causes an abort and a STOP",
           was("66 nack 0") &&
               (get(bench, RAW_INTR_STAT) & (TX_ABRT | STOP_DET)) == (TX_ABRT | STOP_DET));
    EXPECT(tests, "an abort has a cause, and flushes a command",
           get(bench, TX_ABRT_SOURCE) == (1u << 23 | 1u) && get(bench, TXFLR) == 0);
    get(bench, CLR_TX_ABRT);
    EXPECT(tests, "reading CLR_TX_ABRT clears the abort", get(bench, TX_ABRT_SOURCE) == 0);
}

static void test_held_wires(struct tests *tests) {
    begin();
    drv2605_model_inject_bus_held(&bench->board.chips[0].model, 0);
    write_register();
    bench_run(bench, 1000);
    EXPECT(tests, "a START while SDA is held loses arbitration, and no STOP follows",
           (get(bench, RAW_INTR_STAT) & (TX_ABRT | STOP_DET)) == TX_ABRT &&
               (get(bench, TX_ABRT_SOURCE) & 1u << 12) != 0);
    begin();
    i2c_bus_set_stuck(&bench->board.i2c_bus, bench->board.own.machine.now, true);
    write_register();
    bench_run(bench, 100 * CYCLES_PER_MS);
    put(bench, ENABLE, 0);
    EXPECT(tests, "a unit waits for SCL before it is disabled", get(bench, ENABLE_STATUS) == 1);
    i2c_bus_set_stuck(&bench->board.i2c_bus, bench->board.own.machine.now, false);
    bench_run(bench, 10000);
    EXPECT(tests, "the unit sends STOP after the byte, and is disabled",
           get(bench, ENABLE_STATUS) == 0 && was("B4 ack 0"));
    begin();
    bench->board.chips[0].stretch = 1000;
    write_register();
    bench_run(bench, 10000);
    EXPECT(tests, "a chip that holds SCL after its ACKs lengthens the transfer",
           length() == HIGH + 28 * PERIOD + 3 * 1000);
}

static void test_reset(struct tests *tests) {
    begin();
    write_register();
    bench_run(bench, 1500);
    board_reset(&bench->board);
    EXPECT(tests, "a reset cuts a transfer", was("B4 cut 0"));
}

// ---- Accesses that the simulator refuses ----

static void change_address(void) {
    begin();
    put(bench, TAR, 0x70);
}

static void command_disabled(void) {
    begin();
    put(bench, ENABLE, 0);
    write_register();
}

static void overflow(void) {
    begin();
    for (unsigned command = 0; command < 18; command++) {
        put(bench, DATA_CMD, command);
    }
}

static void underflow(void) {
    begin();
    get(bench, DATA_CMD);
}

static void command_aborted(void) {
    begin();
    put(bench, ENABLE, 0);
    put(bench, TAR, 0x33);
    put(bench, ENABLE, 1);
    write_register();
    bench_run(bench, 3000);
    write_register();
}

static void too_fast(void) {
    begin();
    put(bench, ENABLE, 0);
    put(bench, HCNT, 30);
    put(bench, ENABLE, 1);
}

static void without_pins(void) {
    bench = bench_begin();
    set_up();
    put(bench, ENABLE, 1);
    write_register();
}

static void without_input(void) {
    begin();
    put(bench, PADS(SDA), 0x1A);
}

static void in_reset(void) {
    begin();
    put(bench, 0x4000E000, RESETS_I2C0); // RESETS, set
    get(bench, CON);
}

void test_i2c(struct tests *tests) {
    test_transfers(tests);
    test_aborts(tests);
    test_held_wires(tests);
    test_reset(tests);
    expect_refused(tests, "IC_TAR must not change while the unit is enabled", change_address,
                   "I2C0: register 0x04 written while the unit is enabled");
    expect_refused(tests, "a disabled unit accepts no command", command_disabled,
                   "I2C0: a command while the unit is disabled");
    expect_refused(tests, "the transmit FIFO has 16 entries", overflow,
                   "I2C0: the transmit FIFO overflows");
    expect_refused(tests, "an empty receive FIFO must not be read", underflow,
                   "I2C0: a read of its empty receive FIFO");
    expect_refused(tests, "after an abort CLR_TX_ABRT must be read first", command_aborted,
                   "I2C0: a command before CLR_TX_ABRT was read");
    expect_refused(tests, "SCL must not exceed the rate of fast mode", too_fast,
                   "I2C0 enabled with an SCL above 400 kHz");
    expect_refused(tests, "a transfer requires pins", without_pins,
                   "I2C0 begins a transfer without pins");
    expect_refused(tests, "the pins must have their inputs enabled", without_input,
                   "an I2C pin has its input disabled");
    expect_refused(tests, "a unit in reset cannot be read", in_reset,
                   "an access to I2C0, which is held in reset");
}
