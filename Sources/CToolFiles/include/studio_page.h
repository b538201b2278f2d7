// The files of the page of `bridge studio`, which are in Sources/bridge/Studio/Page.

#ifndef STUDIO_PAGE_H
#define STUDIO_PAGE_H

#include <stddef.h>
#include <stdint.h>

/// A file of the page.
typedef struct {
    /// The name by which the browser asks for it.
    const char *name;
    const uint8_t *bytes;
    size_t count;
} studio_page_file_t;

/// Returns how many files the page has.
size_t studio_page_count(void);

/// Returns the file with an index from 0 to studio_page_count() - 1.
studio_page_file_t studio_page_file(size_t index);

#endif
