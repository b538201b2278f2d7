#include "flash_chip.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Typical times (9.6).
#define ERASE_CYCLES (45u * CYCLES_PER_MS)
#define PROGRAM_CYCLES (700u * CYCLES_PER_US)

#define ERASED 0xFFu
#define UNDRIVEN 0xFFu // the value that is read from DO while the chip does not drive it

#define PAGE_PROGRAM 0x02u
#define READ_DATA 0x03u
#define READ_STATUS 0x05u
#define WRITE_ENABLE 0x06u
#define SECTOR_ERASE 0x20u
#define READ_UNIQUE_ID 0x4Bu
#define READ_JEDEC_ID 0x9Fu

#define STATUS_BUSY 0x01u
#define STATUS_WEL 0x02u

#define ADDRESS_BYTES 4u // the size of a command and its address
#define ID_DUMMY_BYTES 5u

// ---- The file, which contains the contents of the cells ----

static bool complain(const char *path, const char *what) {
    fprintf(stderr, "%s: %s\n", path, what);
    return false;
}

static bool load(struct flash_chip *flash, const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return errno == ENOENT || complain(path, strerror(errno));
    }
    size_t size = fread(flash->cells, 1, FLASH_SIZE, file);
    bool is_whole = size == FLASH_SIZE && fgetc(file) == EOF;
    fclose(file);
    return is_whole || complain(path, "expected the 2,097,152 bytes of a flash");
}

static bool open_file(struct flash_chip *flash, const char *path) {
    if (!load(flash, path)) {
        return false;
    }
    flash->file = fopen(path, "r+b");
    if (flash->file == NULL && errno == ENOENT) {
        flash->file = fopen(path, "w+b");
    }
    if (flash->file == NULL) {
        return complain(path, strerror(errno));
    }
    flash_chip_save(flash, 0, FLASH_SIZE);
    return true;
}

void flash_chip_save(struct flash_chip *flash, uint32_t address, size_t size) {
    if (flash->file == NULL) {
        return;
    }
    if (fseek(flash->file, (long)address, SEEK_SET) != 0 ||
        fwrite(&flash->cells[address], 1, size, flash->file) != size || fflush(flash->file) != 0) {
        perror("error: cannot write the file of the flash");
        exit(EXIT_FAILURE);
    }
}

// ---- Erasing and programming ----

bool flash_chip_is_busy(const struct flash_chip *flash) { return flash->work != FLASH_RESTS; }

static void begin(struct flash_chip *flash, enum flash_work work, uint32_t address,
                  uint64_t cycles) {
    flash->is_write_enabled = false;
    flash->work = work;
    flash->work_address = address;
    schedule_at(flash->machine->schedule, &flash->work_ends, flash->machine->now + cycles);
}

static void begin_erase(struct flash_chip *flash) {
    uint32_t address = flash->address & ~(FLASH_SECTOR - 1);
    trace_line(flash->machine->trace, "flash %" PRIu64 " %" PRIu32 " erase", flash->machine->now,
               address);
    begin(flash, FLASH_ERASES, address, ERASE_CYCLES);
}

static void begin_program(struct flash_chip *flash) {
    uint32_t first = flash->address & (FLASH_PAGE - 1);
    char hex[2 * FLASH_PAGE + 1] = "";
    size_t count = 0;
    while (count < FLASH_PAGE && flash->is_in_page[(first + count) % FLASH_PAGE]) {
        snprintf(&hex[2 * count], 3, "%02X", flash->page[(first + count) % FLASH_PAGE]);
        count++;
    }
    trace_line(flash->machine->trace, "flash %" PRIu64 " %" PRIu32 " %s", flash->machine->now,
               flash->address, hex);
    begin(flash, FLASH_PROGRAMS, flash->address & ~(FLASH_PAGE - 1), PROGRAM_CYCLES);
}

static bool is_worn(const struct flash_chip *flash) {
    return flash->worn[flash->work_address / FLASH_SECTOR];
}

static void on_work_end(void *owner, uint64_t when) {
    (void)when;
    struct flash_chip *flash = owner;
    uint8_t *cells = &flash->cells[flash->work_address];
    if (flash->work == FLASH_ERASES && !is_worn(flash)) {
        memset(cells, ERASED, FLASH_SECTOR);
        flash_chip_save(flash, flash->work_address, FLASH_SECTOR);
    }
    if (flash->work == FLASH_PROGRAMS && !is_worn(flash)) {
        for (uint32_t byte = 0; byte < FLASH_PAGE; byte++) {
            cells[byte] &= flash->is_in_page[byte] ? flash->page[byte] : ERASED;
        }
        flash_chip_save(flash, flash->work_address, FLASH_PAGE);
    }
    flash->work = FLASH_RESTS;
}

// Switches the power off. Each bit that was being erased or programmed takes its old or its new
// value, at random.
void flash_chip_power_off(struct flash_chip *flash) {
    uint8_t *cells = &flash->cells[flash->work_address];
    uint32_t size = flash->work == FLASH_ERASES ? FLASH_SECTOR : FLASH_PAGE;
    for (uint32_t byte = 0; byte < size && flash->work != FLASH_RESTS && !is_worn(flash); byte++) {
        uint8_t random = random_byte(&flash->random);
        if (flash->work == FLASH_ERASES) {
            cells[byte] |= random;
        } else if (flash->is_in_page[byte]) {
            cells[byte] &= flash->page[byte] | random;
        }
    }
    if (flash->work != FLASH_RESTS) {
        flash_chip_save(flash, flash->work_address, size);
    }
    flash->work = FLASH_RESTS;
    flash->is_selected = false;
    flash->is_write_enabled = false;
    schedule_cancel(flash->machine->schedule, &flash->work_ends);
}

// ---- Commands ----

uint8_t flash_chip_read(const struct flash_chip *flash, uint32_t address) {
    return flash_chip_is_busy(flash) ? UNDRIVEN : flash->cells[address % FLASH_SIZE];
}

static uint8_t status(const struct flash_chip *flash) {
    return (uint8_t)((flash_chip_is_busy(flash) ? STATUS_BUSY : 0) |
                     (flash->is_write_enabled ? STATUS_WEL : 0));
}

static void check_command(const struct flash_chip *flash) {
    uint8_t command = flash->command;
    if (flash_chip_is_busy(flash) && command != READ_STATUS) {
        machine_crash(flash->machine, "flash: command %02Xh while it is busy", command);
    }
    bool writes = command == PAGE_PROGRAM || command == SECTOR_ERASE;
    if (writes && !flash->is_write_enabled) {
        machine_crash(flash->machine, "flash: command %02Xh without write enable", command);
    }
}

static void take_for_page(struct flash_chip *flash, uint8_t byte) {
    uint32_t index = (flash->address + flash->count - ADDRESS_BYTES) % FLASH_PAGE;
    flash->page[index] = byte;
    flash->is_in_page[index] = true;
}

// Returns the byte that the chip sends while it receives the byte with the given number.
static uint8_t answer(struct flash_chip *flash, uint32_t number) {
    static const uint8_t jedec_id[] = {0xEF, 0x40, 0x15};
    switch (flash->command) {
    case READ_DATA:
        return number >= ADDRESS_BYTES
                   ? misread(&flash->misreading,
                             flash_chip_read(flash, flash->address + number - ADDRESS_BYTES))
                   : UNDRIVEN;
    case READ_STATUS:
        return status(flash);
    case READ_UNIQUE_ID:
        return number >= ID_DUMMY_BYTES && number < ID_DUMMY_BYTES + 8
                   ? (uint8_t)(flash->unique_id >> 8 * (ID_DUMMY_BYTES + 7 - number))
                   : UNDRIVEN;
    case READ_JEDEC_ID:
        return number <= sizeof jedec_id ? jedec_id[number - 1] : UNDRIVEN;
    default:
        return UNDRIVEN;
    }
}

static uint8_t begin_command(struct flash_chip *flash, uint8_t command) {
    flash->command = command;
    flash->address = 0;
    switch (command) {
    case PAGE_PROGRAM:
        check_command(flash);
        memset(flash->is_in_page, false, sizeof flash->is_in_page);
        return UNDRIVEN;
    case READ_DATA:
    case READ_STATUS:
    case WRITE_ENABLE:
    case SECTOR_ERASE:
    case READ_UNIQUE_ID:
    case READ_JEDEC_ID:
        check_command(flash);
        return UNDRIVEN;
    default:
        machine_crash(flash->machine, "flash: command %02Xh is not modeled", command);
    }
}

uint8_t flash_chip_exchange(struct flash_chip *flash, uint8_t byte) {
    if (!flash->is_selected) {
        return UNDRIVEN;
    }
    uint32_t number = flash->count;
    uint8_t sent = number == 0 ? begin_command(flash, byte) : answer(flash, number);
    if (number > 0 && number < ADDRESS_BYTES) {
        flash->address = flash->address << 8 | byte;
    } else if (number >= ADDRESS_BYTES && flash->command == PAGE_PROGRAM) {
        take_for_page(flash, byte);
    }
    flash->count++;
    return sent;
}

// Sets CS high. Commands that change the state of the chip take effect now, at the end of a whole
// byte (8.2).
static void end_command(struct flash_chip *flash) {
    if (flash->count == 0) {
        return;
    }
    switch (flash->command) {
    case WRITE_ENABLE:
        flash->is_write_enabled = true;
        break;
    case SECTOR_ERASE:
        if (flash->count != ADDRESS_BYTES) {
            machine_crash(flash->machine, "flash: 20h with %u bytes", flash->count);
        }
        begin_erase(flash);
        break;
    case PAGE_PROGRAM:
        if (flash->count <= ADDRESS_BYTES || flash->count > ADDRESS_BYTES + FLASH_PAGE) {
            machine_crash(flash->machine, "flash: 02h with %u bytes", flash->count);
        }
        begin_program(flash);
        break;
    default:
        break;
    }
}

void flash_chip_select(struct flash_chip *flash, bool on) {
    if (on && !flash->is_selected) {
        flash->count = 0;
    } else if (!on && flash->is_selected) {
        end_command(flash);
    }
    flash->is_selected = on;
}

void flash_chip_let_go(struct flash_chip *flash) {
    bool is_whole = flash->command == PAGE_PROGRAM
                        ? flash->count > ADDRESS_BYTES
                        : flash->command != SECTOR_ERASE || flash->count == ADDRESS_BYTES;
    if (!is_whole) {
        flash->count = 0;
    }
    flash_chip_select(flash, false);
}

bool flash_chip_init(struct flash_chip *flash, struct machine *machine, const char *path,
                     uint64_t seed) {
    memset(flash->cells, ERASED, FLASH_SIZE);
    flash->machine = machine;
    flash->random = random_from(seed);
    for (unsigned byte = 0; byte < 8; byte++) {
        flash->unique_id = flash->unique_id << 8 | random_byte(&flash->random);
    }
    schedule_add(machine->schedule, &flash->work_ends, on_work_end, flash);
    return path == NULL || open_file(flash, path);
}
