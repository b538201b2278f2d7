// Tests of the start from a reset to the second stage of booting, or to BOOTSEL (datasheet 2.8).
#include "machine_test.h"

#include <string.h>

#define BOOT2_ADDRESS 0x20041F00u
#define ATTEMPTS 128u

static struct test_board board;

static struct machine *power_on(void) {
    machine_set_power(&board.machine, true);
    return &board.machine;
}

// A second stage that loops without effect.
static void begin_with_program(void) {
    test_board_init(&board, NULL);
    board.flash[0] = 0xFE;
    board.flash[1] = 0xE7;
    test_board_sign(&board);
}

static void test_program(struct tests *tests) {
    begin_with_program();
    struct machine *machine = power_on();
    machine_run(machine, 10 * CYCLES_PER_MS);
    EXPECT(tests, "a program with a valid CRC is started",
           machine->boot_rom.state == BOOT_DONE && machine->cpu.r[M0_PC] == BOOT2_ADDRESS);
    EXPECT(tests, "the program starts with LR 0 and SP below it",
           machine->cpu.r[M0_LR] == 0 && machine->cpu.r[M0_SP] == BOOT2_ADDRESS);
    EXPECT(tests, "the program is executed from a copy in SRAM",
           memcmp(&machine->sram[BOOT2_ADDRESS - SRAM_BASE], board.flash, 256) == 0);
}

static void test_damage(struct tests *tests) {
    begin_with_program();
    board.flash[100] ^= 1;
    struct machine *machine = power_on();
    machine_run(machine, 500 * CYCLES_PER_MS);
    EXPECT(tests, "a program with an invalid CRC is read again for half a second",
           board.bootsel_at == 0 && board.reads_of_flash > 100);
    machine_run(machine, 600 * CYCLES_PER_MS);
    EXPECT(tests, "the ROM then waits for a file",
           board.bootsel_at != 0 && board.reads_of_flash == ATTEMPTS);
}

static void test_late_flash(struct tests *tests) {
    begin_with_program();
    board.flash[0] ^= 0xFF;
    struct machine *machine = power_on();
    machine_run(machine, 100 * CYCLES_PER_MS);
    board.flash[0] ^= 0xFF;
    machine_run(machine, 110 * CYCLES_PER_MS);
    EXPECT(tests, "a flash that answers late is read eventually",
           machine->boot_rom.state == BOOT_DONE);
}

static void test_button(struct tests *tests) {
    begin_with_program();
    board.machine.has_bootsel_button = true;
    struct machine *machine = power_on();
    machine_run(machine, 10 * CYCLES_PER_MS);
    EXPECT(tests, "the button starts BOOTSEL", board.bootsel_at != 0);
    machine->has_bootsel_button = false;
    unsigned resets = board.resets;
    machine_leave_bootsel(machine);
    machine_run(machine, 20 * CYCLES_PER_MS);
    EXPECT(tests, "a reset by the watchdog ends BOOTSEL",
           board.resets == resets + 1 && machine->watchdog.reason == WATCHDOG_REASON_TIMER &&
               machine->boot_rom.state == BOOT_DONE);
}

static void test_power(struct tests *tests) {
    begin_with_program();
    struct machine *machine = power_on();
    uint8_t kept = machine->sram[0];
    machine_run(machine, 10 * CYCLES_PER_MS);
    uint8_t other = kept ^ 0xFF;
    machine->sram[0] = other;
    machine_pull_run(machine);
    EXPECT(tests, "a reset by the RUN pin does not change the SRAM", machine->sram[0] == other);
    machine_set_power(machine, false);
    machine_run(machine, 20 * CYCLES_PER_MS);
    EXPECT(tests, "the boot ROM does not run without power",
           machine->boot_rom.state == BOOT_STOPPED);
    machine_set_power(machine, true);
    EXPECT(tests, "SRAM has the same contents after each power-up", machine->sram[0] == kept);
}

void test_boot(struct tests *tests) {
    test_program(tests);
    test_damage(tests);
    test_late_flash(tests);
    test_button(tests);
    test_power(tests);
}
