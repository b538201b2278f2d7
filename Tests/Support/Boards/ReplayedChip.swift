// ReplayedChip: the behavior of a chip, reconstructed from its bus traffic.

import CDRV2605Model
import VirtualBoard

/// A model of the chip that replays the transactions of a trace.
///
/// The model makes the same checks as the model on the board, so it detects the errors that a board
/// in another process makes.
struct ReplayedChip {
    private var chip = drv2605_model()
    private var time: UInt64 = 0

    /// The time of nine bits at 400 kHz, in microseconds.
    private static let byteTime: BoardTime = 23

    init(chipID: UInt8) {
        drv2605_model_init(&chip, chipID, 0)
        drv2605_model_enable(&chip, 0, true)
    }

    mutating func enable(_ isHigh: Bool, at time: BoardTime) {
        drv2605_model_enable(&chip, later(time), isHigh)
    }

    /// Replays a transaction. Returns the chip's drive after the transaction.
    mutating func replay(_ bytes: [UInt8], from start: BoardTime, to end: BoardTime) -> Int {
        var time = start
        var isReading = false
        for (index, byte) in bytes.enumerated() {
            time += Self.byteTime
            let now = later(min(time, end))
            if index == 0 || (index == 2 && byte == Self.readAddress && bytes.count == 4) {
                isReading = byte & 1 != 0
                _ = drv2605_model_start(&chip, now, byte)
            } else if isReading {
                _ = drv2605_model_read_byte(&chip, now)
            } else {
                _ = drv2605_model_write_byte(&chip, now, byte)
            }
        }
        drv2605_model_stop(&chip, later(end))
        return Int(drv2605_model_drive(&chip, self.time))
    }

    private static let readAddress = UInt8(MODEL_I2C_ADDRESS << 1 | 1)

    /// Returns a time for the model that is never earlier than the previous time.
    private mutating func later(_ time: BoardTime) -> UInt64 {
        self.time = max(self.time, UInt64(max(0, time)))
        return self.time
    }

    var findings: [String] { ChipFindings(chip).descriptions }
}
