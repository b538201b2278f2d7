import CDRV2605Model
import Testing

/// A chip on a bus. The methods make complete transfers from the bytes of the model. The test
/// advances the clock.
final class Chip {
    var model = drv2605_model()
    /// The time in microseconds, which transfers do not advance.
    var now: UInt64 = 0

    static let drv2605: UInt8 = 3
    static let drv2605L: UInt8 = 7

    /// Creates a chip that is powered up at time 0, without further setup.
    init(coldWithID id: UInt8) {
        drv2605_model_init(&model, id, 0)
    }

    /// Creates a chip that has started up and is enabled but still in standby.
    convenience init(id: UInt8 = Chip.drv2605L) {
        self.init(coldWithID: id)
        now = 1_000
        enable(true)
    }

    // MARK: Transfers

    /// Writes a register and the registers after it. Returns the number of acknowledged data bytes,
    /// or nil if the chip did not acknowledge the address or the register byte.
    @discardableResult
    func write(_ register: UInt8, _ bytes: UInt8...) -> Int? {
        guard drv2605_model_start(&model, now, 0xB4),
            drv2605_model_write_byte(&model, now, register)
        else {
            drv2605_model_stop(&model, now)
            return nil
        }
        let acknowledged = bytes.prefix { drv2605_model_write_byte(&model, now, $0) }.count
        drv2605_model_stop(&model, now)
        return acknowledged
    }

    /// Reads registers from `register` on, with a repeated START. Returns nil if the chip did not
    /// acknowledge.
    func read(_ register: UInt8, count: Int) -> [UInt8]? {
        defer { drv2605_model_stop(&model, now) }
        guard drv2605_model_start(&model, now, 0xB4),
            drv2605_model_write_byte(&model, now, register),
            drv2605_model_start(&model, now, 0xB5)
        else { return nil }
        return (0..<count).map { _ in drv2605_model_read_byte(&model, now) }
    }

    func read(_ register: UInt8) -> UInt8? {
        read(register, count: 1)?.first
    }

    /// Returns true if the chip acknowledges its address byte.
    func answers() -> Bool {
        defer { drv2605_model_stop(&model, now) }
        return drv2605_model_start(&model, now, 0xB4)
    }

    // MARK: Pins and probes

    func enable(_ high: Bool) {
        drv2605_model_enable(&model, now, high)
    }

    func power(_ on: Bool) {
        drv2605_model_power(&model, now, on)
    }

    var drive: Int16 { withUnsafePointer(to: &model) { drv2605_model_drive($0, now) } }
    var isDriving: Bool { withUnsafePointer(to: &model) { drv2605_model_is_driving($0, now) } }
    var isGoing: Bool { withUnsafePointer(to: &model) { drv2605_model_is_going($0, now) } }
    var isReady: Bool { withUnsafePointer(to: &model) { drv2605_model_is_ready($0, now) } }
    var isInStandby: Bool { withUnsafePointer(to: &model) { drv2605_model_in_standby($0, now) } }
    var nextChange: UInt64 {
        withUnsafePointer(to: &model) { drv2605_model_next_change_us($0, now) }
    }
    var carrier: UInt32 {
        withUnsafePointer(to: &model) { drv2605_model_carrier_millihertz($0, now) }
    }

    /// Returns a register's value without the side effects of a read.
    func peek(_ register: UInt8) -> UInt8 {
        withUnsafePointer(to: &model) { drv2605_model_register($0, now, register) }
    }

    // MARK: States

    /// Enters MODE 5 with a closed-loop LRA, unidirectional unsigned input, and level 0.
    func enterRealTimePlayback() {
        write(0x1A, 0xB6)
        write(0x1C, 0x75)
        write(0x1D, 0x88)
        write(0x02, 0x00)
        write(0x01, 0x05)
    }

    /// Leaves standby in MODE 0 with the given slots and library 6, and sets GO.
    func play(_ slots: UInt8...) {
        write(0x01, 0x00)
        write(0x03, 0x06)
        for (offset, slot) in slots.enumerated() {
            write(0x04 + UInt8(offset), slot)
        }
        write(0x0C, 0x01)
    }
}
