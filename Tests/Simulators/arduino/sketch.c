#define _GNU_SOURCE // dlopen, ucontext
#include "sketch.h"

#include "api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define STACK_SIZE (256u * 1024u)
#define LOOP_US 2u // the time that an Arduino core needs between two calls of loop()

static uint8_t stack[STACK_SIZE];

// The sketch that starts next. This is a global variable, because a pointer cannot be passed to the
// function of a context.
static struct sketch *running;

static void run(void) {
    running->setup();
    for (;;) {
        if (!running->hangs) {
            running->loop();
        }
        api_spend_us(LOOP_US + running->loop_us);
    }
}

// Looks up a function. ISO C has no conversion from a pointer to an object to a pointer to a
// function.
static bool find(const struct sketch *sketch, const char *name, void *pointer) {
    void *found = dlsym(sketch->library, name);
    memcpy(pointer, &found, sizeof found);
    return found != NULL;
}

static bool load(struct sketch *sketch) {
    sketch->library = dlopen(sketch->path, RTLD_NOW | RTLD_LOCAL);
    uint8_t *(*kept)(size_t * size) = NULL;
    if (sketch->library == NULL || !find(sketch, "sketch_setup", &sketch->setup) ||
        !find(sketch, "sketch_loop", &sketch->loop) || !find(sketch, "sketch_kept", &kept)) {
        fprintf(stderr, "%s: %s\n", sketch->path, dlerror());
        return false;
    }
    sketch->kept = kept(&sketch->kept_size);
    if (sketch->kept_size > SKETCH_KEPT_MAX) {
        fprintf(stderr, "%s: too many bytes must survive a reset (%zu)\n", sketch->path,
                sketch->kept_size);
        return false;
    }
    return true;
}

void sketch_keep(struct sketch *sketch) {
    if (sketch->library != NULL) {
        memcpy(sketch->kept_copy, sketch->kept, sketch->kept_size);
    }
}

bool sketch_start(struct sketch *sketch) {
    if (sketch->library != NULL) {
        dlclose(sketch->library);
    }
    if (!load(sketch)) {
        return false;
    }
    memcpy(sketch->kept, sketch->kept_copy, sketch->kept_size);
    sketch->hangs = false;
    running = sketch;
    getcontext(&sketch->context);
    sketch->context.uc_stack.ss_sp = stack;
    sketch->context.uc_stack.ss_size = sizeof stack;
    sketch->context.uc_link = NULL;
    makecontext(&sketch->context, run, 0);
    return true;
}

void sketch_resume(struct sketch *sketch) {
    sketch->runs = true;
    swapcontext(&sketch->outside, &sketch->context);
    sketch->runs = false;
}

void sketch_pause(struct sketch *sketch) { swapcontext(&sketch->context, &sketch->outside); }
