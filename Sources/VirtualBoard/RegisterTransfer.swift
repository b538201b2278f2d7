// RegisterTransfer: performs a transfer for the core by exchanging bytes with the chip model over
// the I2C bus.

import CBridgeFirmware
import CDRV2605Model

/// The state of the bus, which depends on its clock rate and its pull-up resistors.
struct BusState {
    /// The factor by which transfers take longer than at 400 kHz: 4 at 100 kHz.
    var slowness: BoardTime
    /// True if no byte reaches a chip, because SDA and SCL are swapped or the signals rise too
    /// slowly.
    var isGarbled: Bool
}

/// A register transfer with a chip. Each byte of the transfer has its own time.
struct RegisterTransfer {
    /// The time of a register write in microseconds: START, address, register, value, STOP at
    /// 400 kHz.
    static let writeTime: BoardTime = 73
    /// The time of a register read in microseconds: START, address, register, START, address,
    /// value, STOP.
    static let readTime: BoardTime = 98
    /// The time of a write to the multiplexer's control register in microseconds: START,
    /// address, register, STOP.
    static let switchTime: BoardTime = 50
    /// The time that a byte takes at 400 kHz, in microseconds: nine bits, rounded.
    static let byteTime: BoardTime = 23

    private let chip: UnsafeMutablePointer<drv2605_model>
    private let bus: BusState
    /// The time of the last byte.
    private var time: BoardTime
    /// The bytes after START, in order and including address bytes.
    private(set) var bytes: [UInt8] = []
    /// True if every byte was acknowledged.
    private(set) var isAcknowledged = false
    /// The byte that was read; 0 for a write.
    private(set) var value: UInt8 = 0

    /// Performs a transfer with `chip` that occupies the bus from `start` to `end`.
    init(
        _ transfer: bridge_transfer, with chip: UnsafeMutablePointer<drv2605_model>,
        on bus: BusState, start: BoardTime, end: BoardTime
    ) {
        (self.chip, self.bus) = (chip, bus)
        time = start
        bytes.reserveCapacity(4)
        let writeAddress = UInt8(MODEL_I2C_ADDRESS << 1)
        isAcknowledged = address(writeAddress) && write(transfer.reg)
        if isAcknowledged && transfer.is_read {
            isAcknowledged = address(writeAddress | 1)
            if isAcknowledged { read() }
        } else if isAcknowledged {
            isAcknowledged = write(transfer.value)
        }
        drv2605_model_stop(chip, chip.clock(at: end))
    }

    private mutating func address(_ address: UInt8) -> Bool {
        time += Self.byteTime * bus.slowness
        bytes.append(address)
        return !bus.isGarbled && drv2605_model_start(chip, chip.clock(at: time), address)
    }

    private mutating func write(_ byte: UInt8) -> Bool {
        time += Self.byteTime * bus.slowness
        bytes.append(byte)
        return drv2605_model_write_byte(chip, chip.clock(at: time), byte)
    }

    private mutating func read() {
        time += Self.byteTime * bus.slowness
        value = drv2605_model_read_byte(chip, chip.clock(at: time))
        bytes.append(value)
    }
}

extension UnsafeMutablePointer<drv2605_model> {
    /// Returns the time in the form that the chip model uses. The clock of the model never runs
    /// backward, even if a pin changes during a transfer.
    func clock(at time: BoardTime) -> UInt64 { Swift.max(UInt64(time), pointee.now_us) }

    /// Returns the drive of the chip, -255...255.
    func drive(at time: BoardTime) -> Int { Int(drv2605_model_drive(self, clock(at: time))) }

    /// Returns the frequency at which the chip drives an LRA in open loop, in hertz; otherwise 0.
    func frequency(at time: BoardTime) -> Double {
        Double(drv2605_model_carrier_millihertz(self, clock(at: time))) / 1_000
    }
}
