/* Fuzzes the decoder and the player of the event code (SPEC 6, 7) with arbitrary bytes, in portions
 * of arbitrary size, and with revisions. */
#include <string.h>

#include "Firmware/core/bridge.h"
#include "fuzz.h"

#define EVENTS_MAX 20000
#define RENDERS_MAX 4000

/* Decodes a stream of arbitrary bytes. Checks that ticks never decrease, and that no byte is
 * consumed twice. */
static void decode(struct input input) {
    static struct event_decoder decoder;
    struct event_memory memory = {0};
    uint8_t bytes[BRIDGE_STREAM_MEMORY_MIN];
    memset(&decoder, 0, sizeof decoder);
    event_memory_init(&memory, bytes, sizeof bytes);
    event_decoder_init(&decoder);
    for (int events = 0; events < EVENTS_MAX;) {
        uint32_t tick = decoder.tick;
        uint16_t used = memory.used;
        if (event_decoder_next(&decoder, &memory)) {
            PROMISE((int32_t)(decoder.tick - tick) >= 0);
            PROMISE(memory.used <= used);
            PROMISE(!(decoder.event->kind & EVENT_LASTS) ||
                    event_duration(decoder.event) <= BRIDGE_TICKS_MAX);
            events++;
        } else {
            PROMISE(decoder.tick == tick && memory.used == used);
            uint8_t byte = take(&input);
            if (input.left == 0) {
                return;
            }
            /* A memory of this size is large enough for any event. */
            PROMISE(event_memory_append(&memory, &byte, 1));
        }
    }
}

static struct bridge context;

static void append(struct input *input, struct stream *stream) {
    uint8_t count = take(input) & 63;
    uint16_t room = event_memory_room(&stream->memory);
    uint8_t bytes[64];
    for (uint8_t index = 0; index < count; index++) {
        bytes[index] = take(input);
    }
    PROMISE(event_memory_append(&stream->memory, bytes, count) == (count <= room));
}

/* Renders writes before they are due, and consumes each write at its due time. */
static void run(struct stream *stream, uint32_t *now, uint32_t time) {
    struct bridge_write_queue *writes = &context.streams[0].writes;
    uint32_t end = *now + time;
    for (int renders = 0; renders < RENDERS_MAX; renders++) {
        bool is_busy = stream_render(stream, context.actuators, *now);
        PROMISE(write_queue_count(writes) <= sizeof writes->entries);
        PROMISE(stream->memory.readable <= stream->memory.used);
        PROMISE(stream->memory.used <= stream->memory.capacity);
        if (write_queue_count(writes)) {
            uint32_t due = write_queue_at(writes, writes->tail)->due_us;
            *now = (int32_t)(due - *now) > 0 ? due : *now;
            writes->tail = (uint8_t)(writes->tail + BRIDGE_WRITE_SIZE);
        } else if (!is_busy) {
            *now += 1000;
        }
        if ((int32_t)(*now - end) >= 0) {
            return;
        }
    }
}

static void play(struct input *input) {
    static const uint32_t scales[] = {250u << 24, 1u << 20, 255u << 24, (100u << 24) + 12345};
    struct stream *stream = &context.streams[0];
    memset(&context, 0, sizeof context);
    bridge_init(&context);
    stream_open(stream, 1, context.event_memory, BRIDGE_EVENT_MEMORY);
    uint32_t now = BRIDGE_CLOCK_AT_BOOT + take(input) * 1000u;
    append(input, stream);
    stream_start(stream, now + take(input) * 100u, scales[take(input) & 3]);
    while (input->left) {
        uint8_t what = take(input);
        switch (what & 3) {
        case 0:
            append(input, stream);
            break;
        case 1:
            run(stream, &now, take_16(input) * 16u);
            break;
        case 2:
            if (event_memory_room_after_split(&stream->memory) >= 64) {
                uint32_t at = now + take_16(input) - 8000;
                bool waits = (stream->pending & STREAM_REVISE_PENDING) != 0;
                if (!waits || !bridge_is_before(stream->due_us[STREAM_TASK_REVISE], at)) {
                    stream_revise(stream, at, take(input), take(input));
                    append(input, stream);
                }
            }
            break;
        default:
            stream_set_scale(stream, take_16(input), scales[what >> 2 & 3]);
            break;
        }
    }
    run(stream, &now, 500000);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct input input = {bytes, count};
    decode(input);
    play(&input);
    return 0;
}
