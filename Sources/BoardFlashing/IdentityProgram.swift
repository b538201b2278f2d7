// IdentityProgram: sets the id of a board. Boot loaders write only flash, so a small program writes
// the id to EEPROM, where the firmware reads it (Firmware/boards/atmega328p/eeprom.c).

/// A program for the ATmega328P that writes eight bytes to the start of EEPROM.
enum IdentityProgram {
    /// Returns the bytes of the program for an id, as they are stored in flash. The EEPROM contains
    /// the complement of the id, so that the firmware reads an erased EEPROM as the id 0, which
    /// means that the board has no id.
    static func bytes(id: UInt64) -> [UInt8] {
        let words = instructions.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        return words + (0..<8).map { UInt8(truncatingIfNeeded: ~id >> ($0 * 8)) }
    }

    /// The time allowed for the program to run, in seconds. A boot loader exits within 0.1 s after
    /// the command to exit, and writing eight bytes of EEPROM takes 0.03 s.
    static let time = 0.5

    private static let instructions: [UInt16] = [
        0xE2E0,  //       ldi  r30, lo8(id)
        0xE0F0,  //       ldi  r31, hi8(id)
        0x27AA,  //       clr  r26
        0x27BB,  //       clr  r27
        0x9185,  // next: lpm  r24, Z+
        0x99F9,  // wait: sbic EECR, EEPE
        0xCFFE,  //       rjmp wait
        0xBDA1,  //       out  EEARL, r26
        0xBDB2,  //       out  EEARH, r27
        0xBD80,  //       out  EEDR, r24
        0x9AFA,  //       sbi  EECR, EEMPE
        0x9AF9,  //       sbi  EECR, EEPE
        0x95A3,  //       inc  r26
        0x30A8,  //       cpi  r26, 8
        0xF7A9,  //       brne next
        0xCFFF,  // stay: rjmp stay
    ]  // id:
}
