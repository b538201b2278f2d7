#define _POSIX_C_SOURCE 200809L // mkdir, opendir, stat
#include "bootsel.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RESTART_CYCLES (1000u * CYCLES_PER_MS)

#define DRIVE "RPI-RP2"
#define INFO "INFO_UF2.TXT"
#define INDEX "INDEX.HTM"

static const char info_text[] =
    "UF2 Bootloader v3.0\r\nModel: Raspberry Pi RP2\r\nBoard-ID: RPI-RP2\r\n";
static const char index_text[] = "<html><head></head><body>RP2040</body></html>\r\n";

// ---- The folder ----

_Noreturn static void fail(const char *path) {
    perror(path);
    exit(EXIT_FAILURE);
}

static void path_in(const struct bootsel *bootsel, const char *name, char path[BOOTSEL_PATH_MAX]) {
    int length = snprintf(path, BOOTSEL_PATH_MAX, "%s/" DRIVE "/%s", bootsel->parent, name);
    if (length < 0 || length >= (int)BOOTSEL_PATH_MAX) {
        errno = ENAMETOOLONG;
        fail(bootsel->parent);
    }
}

static void write_text(const struct bootsel *bootsel, const char *name, const char *text) {
    char path[BOOTSEL_PATH_MAX];
    path_in(bootsel, name, path);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fputs(text, file) == EOF || fclose(file) != 0) {
        fail(path);
    }
}

static DIR *open_drive(const struct bootsel *bootsel) {
    char path[BOOTSEL_PATH_MAX];
    path_in(bootsel, "", path);
    return opendir(path);
}

static void create_drive(const struct bootsel *bootsel) {
    char path[BOOTSEL_PATH_MAX];
    path_in(bootsel, "", path);
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
        fail(path);
    }
    write_text(bootsel, INDEX, index_text);
    write_text(bootsel, INFO, info_text);
}

static void remove_drive(const struct bootsel *bootsel) {
    char path[BOOTSEL_PATH_MAX];
    DIR *drive = open_drive(bootsel);
    const struct dirent *entry = drive == NULL ? NULL : readdir(drive);
    while (entry != NULL) {
        path_in(bootsel, entry->d_name, path);
        unlink(path); // this call fails for . and .., which is harmless
        entry = readdir(drive);
    }
    if (drive != NULL) {
        closedir(drive);
    }
    path_in(bootsel, "", path);
    rmdir(path);
}

// ---- Blocks ----

static void take_block(struct bootsel *bootsel, const uint8_t *block) {
    switch (uf2_take(&bootsel->uf2, block)) {
    case UF2_COMPLETE:
        schedule_at(bootsel->machine->schedule, &bootsel->restart,
                    bootsel->machine->now + RESTART_CYCLES);
        break;
    case UF2_REFUSED:
        trace_line(bootsel->machine->trace, "uf2 %" PRIu64 " %s", bootsel->machine->now,
                   bootsel->uf2.reason);
        break;
    case UF2_IGNORED:
    case UF2_TAKEN:
        break;
    }
}

static struct bootsel_file *find_file(struct bootsel *bootsel, uint64_t inode) {
    for (size_t index = 0; index < BOOTSEL_FILES; index++) {
        struct bootsel_file *file = &bootsel->files[index];
        if (file->inode == inode || file->inode == 0) {
            file->inode = inode;
            return file;
        }
    }
    return NULL;
}

static void take_file(struct bootsel *bootsel, const char *path) {
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) {
        return;
    }
    struct bootsel_file *known = find_file(bootsel, status.st_ino);
    FILE *file = known == NULL ? NULL : fopen(path, "rb");
    if (file == NULL) {
        return;
    }
    uint8_t block[UF2_BLOCK_SIZE];
    while (fseek(file, known->taken, SEEK_SET) == 0 &&
           fread(block, 1, sizeof block, file) == sizeof block) {
        known->taken += (long)sizeof block;
        take_block(bootsel, block);
    }
    fclose(file);
}

void bootsel_poll(struct bootsel *bootsel) {
    DIR *drive = bootsel->is_open && bootsel->parent != NULL ? open_drive(bootsel) : NULL;
    if (drive == NULL) {
        return;
    }
    for (const struct dirent *entry = readdir(drive); entry != NULL; entry = readdir(drive)) {
        char path[BOOTSEL_PATH_MAX];
        path_in(bootsel, entry->d_name, path);
        take_file(bootsel, path);
    }
    closedir(drive);
}

// ---- Opening and closing ----

void bootsel_open(struct bootsel *bootsel) {
    uf2_begin(&bootsel->uf2, bootsel->flash->cells, FLASH_SIZE);
    memset(bootsel->files, 0, sizeof bootsel->files);
    bootsel->is_open = true;
    if (bootsel->parent != NULL) {
        create_drive(bootsel);
    }
}

void bootsel_close(struct bootsel *bootsel) {
    schedule_cancel(bootsel->machine->schedule, &bootsel->restart);
    if (bootsel->is_open && bootsel->parent != NULL) {
        remove_drive(bootsel);
    }
    bootsel->is_open = false;
}

static void on_restart(void *owner, uint64_t when) {
    (void)when;
    struct bootsel *bootsel = owner;
    flash_chip_save(bootsel->flash, 0, FLASH_SIZE);
    bootsel_close(bootsel);
    machine_leave_bootsel(bootsel->machine);
}

void bootsel_init(struct bootsel *bootsel, struct machine *machine, struct flash_chip *flash,
                  const char *parent) {
    *bootsel = (struct bootsel){.machine = machine, .flash = flash, .parent = parent};
    schedule_add(machine->schedule, &bootsel->restart, on_restart, bootsel);
}
