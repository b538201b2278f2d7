// The commands that only this controller has. They apply to its memories and its sleep.
#include "commands.h"

#include <inttypes.h>

#include "words.h"

#define DATA_SIZE (RAMEND + 1u)

static bool run_hang(struct board *board, char *const *words) {
    static const char *const choices[] = {"irq-on", "irq-off"};
    size_t choice = 0;
    if (!word_choice(words[0], choices, 2, &choice)) {
        return false;
    }
    mcu_hang(&board->own.mcu,
             choice == 0 ? MCU_HANGS_WITH_INTERRUPTS : MCU_HANGS_WITHOUT_INTERRUPTS);
    return true;
}

static bool run_eeprom_worn(struct board *board, char *const *words) {
    uint64_t address = 0;
    if (!word_number(words[0], EEPROM_SIZE - 1, &address)) {
        return false;
    }
    board->own.eeprom.worn[address] = true;
    return true;
}

static bool run_eeprom_damage(struct board *board, char *const *words) {
    return words_flip_bits(words, board->own.eeprom.cells, EEPROM_SIZE);
}

static bool run_eeprom_misread(struct board *board, char *const *words) {
    return words_misreading(words, &board->own.eeprom.misreading);
}

static bool run_peek(struct board *board, char *const *words) {
    uint64_t address = 0;
    uint64_t count = 0;
    if (!word_number(words[0], DATA_SIZE - 1, &address) ||
        !word_number(words[1], DATA_SIZE - address, &count)) {
        return false;
    }
    char hex[2 * DATA_SIZE + 1] = "";
    for (uint64_t index = 0; index < count; index++) {
        snprintf(&hex[2 * index], 3, "%02X", board->own.mcu.data[address + index]);
    }
    trace_line(&board->trace, "data %" PRIu64 " %s", address, hex);
    return true;
}

static bool run_poke(struct board *board, char *const *words) {
    uint64_t address = 0;
    uint64_t value = 0;
    if (!word_number(words[0], DATA_SIZE - 1, &address) ||
        !word_number(words[1], UINT8_MAX, &value)) {
        return false;
    }
    mcu_poke(&board->own.mcu, (uint16_t)address, (uint8_t)value);
    return true;
}

static bool run_stack(struct board *board, char *const *words) {
    (void)words;
    trace_line(&board->trace, "stack %u", RAMEND - board->own.mcu.lowest_stack);
    return true;
}

static bool run_step(struct board *board, char *const *words) {
    (void)words;
    trace_line(&board->trace, "step %" PRIu64, board->own.step_mark.longest);
    return true;
}

static bool run_idle(struct board *board, char *const *words) {
    (void)words;
    trace_line(&board->trace, "idle %" PRIu64, board->own.mcu.slept);
    return true;
}

const struct command board_commands[] = {
    {{"hang"}, 1, run_hang, "hang irq-on | irq-off"},
    {{"eeprom", "worn"}, 1, run_eeprom_worn, "eeprom worn ADDRESS"},
    {{"eeprom", "damage"}, 2, run_eeprom_damage, "eeprom damage ADDRESS BITS"},
    {{"eeprom", "misread"}, 2, run_eeprom_misread, "eeprom misread COUNT BITS"},
    {{"peek"}, 2, run_peek, "peek ADDRESS COUNT"},
    {{"poke"}, 2, run_poke, "poke ADDRESS BYTE"},
    {{"stack"}, 0, run_stack, "stack"},
    {{"idle"}, 0, run_idle, "idle"},
    {{"step"}, 0, run_step, "step"},
    {{NULL}, 0, NULL, NULL},
};
