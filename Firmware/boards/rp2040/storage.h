/*
 * Configurations and locks in the last two sectors of the first 2 MB of the flash. Records are
 * appended to the active sector; when that sector is full, the newest record of each kind moves to
 * the spare sector. The functions do not wait for the flash: each call of storage_poll does one
 * step.
 */
#ifndef STORAGE_H
#define STORAGE_H

/** Finds the records in the flash. */
void storage_start(void);

/** Does one step of storing the pending records, if the flash is not busy. */
void storage_poll(void);

#endif
