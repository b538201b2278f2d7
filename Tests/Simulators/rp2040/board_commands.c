// The commands that only this board has. They apply to its memories, its sleep, the USB cable and
// BOOTSEL.
#include "commands.h"

#include <inttypes.h>
#include <string.h>

#include "words.h"

#define PEEK_MAX 4096u

static bool run_hang(struct board *board, char *const *words) {
    static const char *const choices[] = {"irq-on", "irq-off"};
    size_t choice = 0;
    if (!word_choice(words[0], choices, 2, &choice)) {
        return false;
    }
    board->own.usb_session.is_excused = true;
    machine_hang(&board->own.machine, choice == 0 ? HANG_WITH_INTERRUPTS : HANG_WITHOUT_INTERRUPTS);
    return true;
}

static bool run_peek(struct board *board, char *const *words) {
    uint64_t address = 0;
    uint64_t count = 0;
    if (!word_number(words[0], UINT32_MAX, &address) || !word_number(words[1], PEEK_MAX, &count)) {
        return false;
    }
    char hex[2 * PEEK_MAX + 1] = "";
    for (uint64_t index = 0; index < count; index++) {
        uint8_t byte = 0;
        if (!machine_peek(&board->own.machine, (uint32_t)(address + index), &byte)) {
            return false;
        }
        snprintf(&hex[2 * index], 3, "%02X", byte);
    }
    trace_line(&board->trace, "data %" PRIu64 " %s", address, hex);
    return true;
}

static bool run_poke(struct board *board, char *const *words) {
    uint64_t address = 0;
    uint64_t value = 0;
    if (!word_number(words[0], UINT32_MAX, &address) || !word_number(words[1], UINT8_MAX, &value)) {
        return false;
    }
    machine_poke(&board->own.machine, (uint32_t)address, (uint8_t)value);
    return true;
}

static bool run_stack(struct board *board, char *const *words) {
    (void)words;
    trace_line(&board->trace, "stack %" PRIu32, machine_stack_used(&board->own.machine));
    return true;
}

static bool run_step(struct board *board, char *const *words) {
    (void)words;
    trace_line(&board->trace, "step %" PRIu64, machine_longest_step(&board->own.machine));
    return true;
}

static bool run_idle(struct board *board, char *const *words) {
    (void)words;
    trace_line(&board->trace, "idle %" PRIu64, machine_slept(&board->own.machine));
    return true;
}

static bool run_flash_worn(struct board *board, char *const *words) {
    uint64_t address = 0;
    if (!word_number(words[0], FLASH_SIZE - 1, &address)) {
        return false;
    }
    board->own.flash.worn[address / FLASH_SECTOR] = true;
    return true;
}

static bool run_bus_disturb(struct board *board, char *const *words) {
    (void)words;
    for (size_t unit = 0; unit < 2; unit++) {
        dw_i2c_disturb(&board->own.i2c[unit]);
    }
    return true;
}

static bool run_flash_damage(struct board *board, char *const *words) {
    return words_flip_bits(words, board->own.flash.cells, FLASH_SIZE);
}

static bool run_flash_misread(struct board *board, char *const *words) {
    return words_misreading(words, &board->own.flash.misreading);
}

static bool run_bootsel(struct board *board, char *const *words) {
    return word_switch(words[0], &board->own.machine.has_bootsel_button);
}

// ---- The USB cable, and the computer at its other end ----

static bool run_usb_plug(struct board *board, char *const *words) {
    (void)words;
    usb_host_plug(&board->own.usb_host, true);
    return true;
}

static bool run_usb_unplug(struct board *board, char *const *words) {
    (void)words;
    usb_host_plug(&board->own.usb_host, false);
    return true;
}

static bool run_usb_suspend(struct board *board, char *const *words) {
    (void)words;
    usb_host_suspend(&board->own.usb_host);
    return true;
}

static bool run_usb_resume(struct board *board, char *const *words) {
    (void)words;
    usb_host_resume(&board->own.usb_host);
    return true;
}

static bool run_usb_reset(struct board *board, char *const *words) {
    (void)words;
    usb_session_reset(&board->own.usb_session);
    return true;
}

static bool run_usb_hold(struct board *board, char *const *words) {
    return word_switch(words[0], &board->own.usb_host.is_held);
}

// Parses hexadecimal bytes. Returns the number of bytes, or 0 if there are too many.
static size_t read_hex(const char *digits, uint8_t *bytes, size_t most) {
    size_t size = strlen(digits) / 2;
    for (size_t index = 0; index < size && size <= most; index++) {
        bytes[index] = word_hex_byte(&digits[2 * index]);
    }
    return size <= most ? size : 0;
}

static bool run_usb_request(struct board *board, char *const *words) {
    uint8_t setup[SETUP_PACKET_SIZE];
    uint8_t data[REQUEST_DATA_MAX];
    bool has_data = strcmp(words[1], "-") != 0;
    if (!word_is_hex(words[0]) || (has_data && !word_is_hex(words[1])) ||
        read_hex(words[0], setup, sizeof setup) != sizeof setup) {
        return false;
    }
    size_t size = has_data ? read_hex(words[1], data, sizeof data) : 0;
    return usb_request_send(&board->own.usb_request, setup, data, size);
}

static bool run_usb_cancel(struct board *board, char *const *words) {
    (void)words;
    usb_request_cancel(&board->own.usb_request);
    return true;
}

static bool run_usb_corrupt(struct board *board, char *const *words) {
    uint64_t transactions = 0;
    if (!word_number(words[0], UINT32_MAX, &transactions)) {
        return false;
    }
    usb_host_damage(&board->own.usb_host, transactions);
    return true;
}

static bool run_usb_stall(struct board *board, char *const *words) {
    uint64_t frames = 0;
    if (!word_number(words[0], UINT32_MAX, &frames)) {
        return false;
    }
    usb_host_stall(&board->own.usb_host, frames);
    return true;
}

const struct command board_commands[] = {
    {{"hang"}, 1, run_hang, "hang irq-on | irq-off"},
    {{"peek"}, 2, run_peek, "peek ADDRESS COUNT"},
    {{"poke"}, 2, run_poke, "poke ADDRESS BYTE"},
    {{"stack"}, 0, run_stack, "stack"},
    {{"idle"}, 0, run_idle, "idle"},
    {{"step"}, 0, run_step, "step"},
    {{"flash", "worn"}, 1, run_flash_worn, "flash worn ADDRESS"},
    {{"flash", "damage"}, 2, run_flash_damage, "flash damage ADDRESS BITS"},
    {{"flash", "misread"}, 2, run_flash_misread, "flash misread COUNT BITS"},
    {{"bus", "disturb"}, 0, run_bus_disturb, "bus disturb"},
    {{"bootsel"}, 1, run_bootsel, "bootsel off | on"},
    {{"usb", "plug"}, 0, run_usb_plug, "usb plug"},
    {{"usb", "unplug"}, 0, run_usb_unplug, "usb unplug"},
    {{"usb", "suspend"}, 0, run_usb_suspend, "usb suspend"},
    {{"usb", "resume"}, 0, run_usb_resume, "usb resume"},
    {{"usb", "reset"}, 0, run_usb_reset, "usb reset"},
    {{"usb", "hold"}, 1, run_usb_hold, "usb hold off | on"},
    {{"usb", "request"}, 2, run_usb_request, "usb request SETUP DATA"},
    {{"usb", "cancel"}, 0, run_usb_cancel, "usb cancel"},
    {{"usb", "corrupt"}, 1, run_usb_corrupt, "usb corrupt TRANSACTIONS"},
    {{"usb", "stall-frames"}, 1, run_usb_stall, "usb stall-frames FRAMES"},
    {{NULL}, 0, NULL, NULL},
};
