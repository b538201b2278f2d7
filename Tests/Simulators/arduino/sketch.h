// A sketch: a shared library that contains the sketch, its libraries and an Arduino core. The
// sketch runs as a coroutine of the simulation, and pauses while the board's time must not advance.
#ifndef SKETCH_H
#define SKETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#define SKETCH_KEPT_MAX 1024u

struct sketch {
    const char *path;
    void *library; // NULL if the sketch is not loaded
    void (*setup)(void);
    void (*loop)(void);
    uint8_t *kept; // memory that only a loss of power clears
    size_t kept_size;
    uint8_t kept_copy[SKETCH_KEPT_MAX];
    uint32_t loop_us; // the time that the rest of loop() takes
    bool hangs;       // loop() never returns
    bool runs;        // the sketch's context is the current one
    ucontext_t context;
    ucontext_t outside;
};

// Loads the sketch again, as a reset does. The call initializes the memory of the sketch, except
// for the section that a reset does not clear. Returns false, and prints the reason on standard
// error, if the sketch cannot be loaded.
bool sketch_start(struct sketch *sketch);

// Runs the sketch until it calls sketch_pause.
void sketch_resume(struct sketch *sketch);

// Returns to the caller of sketch_resume. The sketch calls this function.
void sketch_pause(struct sketch *sketch);

// Saves the memory that a reset does not clear.
void sketch_keep(struct sketch *sketch);

#endif
