// InProcessBoard+Sensor: the transfers with the accelerometer, and the motion that it senses.

import CBridgeFirmware
import CDRV2605Model

extension InProcessBoard {
    /// The model of the accelerometer, for settings, faults and findings.
    public var sensor: accelerometer_model {
        get { motion.pointee.sensor }
        set { motion.pointee.sensor = newValue }
    }

    /// Switches the supply of the accelerometer on or off, to simulate a loose wire.
    public func switchSensor(isOn: Bool) {
        accelerometer_model_power(&motion.pointee.sensor, UInt64(now), isOn)
    }

    /// True if the transfer on the bus is one with the accelerometer.
    var isSensorTransfer: Bool { bridge_bus_is_sensor(core) }

    func recordMotion(of actuator: Int, drive: Int, frequency: Double) {
        guard motion.pointee.sensor.kind != ACCELEROMETER_NONE else { return }
        if drive != 0 {
            let (chip, index) = (chips[actuator], UInt32(actuator))
            let now = chip.clock(at: time)
            motion_model_connect(
                motion, UInt64(time), index, drv2605_model_has_lra(chip, now),
                drv2605_model_is_closed_loop(chip, now))
            motion_model_tune(motion, UInt64(time), index, frequency)
        }
        motion_model_drive(motion, UInt64(time), UInt32(actuator), Int16(drive))
    }

    func probeSensor(_ addressByte: UInt8) -> Bool {
        let isAcknowledged = accelerometer_model_start(
            &motion.pointee.sensor, UInt64(time), addressByte)
        accelerometer_model_stop(&motion.pointee.sensor, UInt64(time))
        return isAcknowledged
    }

    /// Performs the transfer with the accelerometer that began at `start` and ends now.
    func finishSensorTransfer(_ start: BoardTime) {
        let end = time
        let done = SensorTransfer(
            &core.pointee.transfer, with: &motion.pointee.sensor, on: bus, start: start)
        accelerometer_model_stop(&motion.pointee.sensor, UInt64(end))
        sensorTransactions.append(
            BusTransaction(
                start: start, end: end, actuator: 0, bytes: done.bytes,
                isAcknowledged: done.isAcknowledged, drive: 0))
        bridge_bus_done(core, done.isAcknowledged, done.value)
    }
}

/// A transfer with the accelerometer. Each byte of the transfer has its own time.
struct SensorTransfer {
    /// The bytes after START, in order and including address bytes.
    private(set) var bytes: [UInt8] = []
    /// True if every byte was acknowledged.
    private(set) var isAcknowledged = false
    /// The last byte that was read; 0 for a write.
    private(set) var value: UInt8 = 0

    private var time: BoardTime
    private let bus: BusState

    /// Returns the time of a transfer at 400 kHz in microseconds. A read has 30 bits for the
    /// conditions, the addresses and the register, and nine bits for each value. A write has 29
    /// bits for the conditions, the address, the register and one value.
    static func time(of transfer: bridge_transfer) -> BoardTime {
        let bits = transfer.is_read ? 30 + 9 * BoardTime(transfer.count) : 29
        return (bits * 5 + 1) / 2
    }

    /// Performs a transfer that begins at `start`. Stores the bytes that are read, except for the
    /// last one, like a port of the firmware.
    init(
        _ transfer: inout bridge_transfer, with sensor: inout accelerometer_model, on bus: BusState,
        start: BoardTime
    ) {
        (self.bus, time) = (bus, start)
        let address = transfer.address_byte
        isAcknowledged = begin(&sensor, address) && write(&sensor, transfer.reg)
        guard isAcknowledged else { return }
        guard transfer.is_read else {
            isAcknowledged = write(&sensor, transfer.value)
            return
        }
        isAcknowledged = begin(&sensor, address | 1)
        guard isAcknowledged else { return }
        while transfer.count > 1 {
            transfer.bytes.pointee = read(&sensor)
            transfer.bytes += 1
            transfer.count -= 1
        }
        value = read(&sensor)
    }

    private mutating func begin(_ sensor: inout accelerometer_model, _ byte: UInt8) -> Bool {
        pass(byte)
        return !bus.isGarbled && accelerometer_model_start(&sensor, UInt64(time), byte)
    }

    private mutating func write(_ sensor: inout accelerometer_model, _ byte: UInt8) -> Bool {
        pass(byte)
        return accelerometer_model_write_byte(&sensor, UInt64(time), byte)
    }

    private mutating func read(_ sensor: inout accelerometer_model) -> UInt8 {
        pass(0)
        let byte = accelerometer_model_read_byte(&sensor, UInt64(time))
        bytes[bytes.count - 1] = byte
        return byte
    }

    private mutating func pass(_ byte: UInt8) {
        time += RegisterTransfer.byteTime * bus.slowness
        bytes.append(byte)
    }
}
