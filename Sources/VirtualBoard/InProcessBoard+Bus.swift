// InProcessBoard+Bus: the transfers on the I2C bus, and the multiplexer through which several chips
// share the bus.

import CBridgeFirmware
import CDRV2605Model

extension InProcessBoard {
    /// Starts the next transfer if the bus is free.
    ///
    /// - Parameter read: the loop's clock reading.
    func startTransfer(_ read: UInt32) {
        guard transfer == nil else { return }
        let address = bridge_take_probe(core)
        if address != 0 { bridge_probe_done(core, address, probe(address)) }
        if bridge_take_due(core, clock) || bridge_take_untimed(core, read) {
            begin(core.pointee.transfer)
        } else if bridge_take_switch(core, selected, read) {
            let end = time + RegisterTransfer.switchTime * bus.slowness
            transfer = (core.pointee.transfer, time, end)
            select(core.pointee.transfer.actuators)
        }
    }

    /// Returns whether a chip acknowledges its address in a write without data.
    private func probe(_ address: UInt8) -> Bool {
        guard !bus.isGarbled else { return false }
        let byte = address << 1
        var isAcknowledged = chips.count > 1 && tca9548a_model_start(&multiplexer, byte)
        if isAcknowledged { tca9548a_model_stop(&multiplexer) }
        for (index, chip) in chips.enumerated() where open >> index & 1 != 0 {
            isAcknowledged = drv2605_model_start(chip, chip.clock(at: time), byte) || isAcknowledged
            drv2605_model_stop(chip, chip.clock(at: time))
        }
        isAcknowledged = probeSensor(byte) || isAcknowledged
        return isAcknowledged
    }

    /// Writes the multiplexer's control register.
    private func select(_ actuators: UInt8) {
        (selected, checked) = (actuators, 0)
        guard !bus.isGarbled else { return }
        let address = UInt8(TCA9548A_MODEL_ADDRESS) << 1
        _ = tca9548a_model_start(&multiplexer, address)
        _ = tca9548a_model_write_byte(&multiplexer, actuators)
        tca9548a_model_stop(&multiplexer)
    }

    /// The mask of the open channels. On a board without a multiplexer, this value is the mask of
    /// the only channel.
    private var open: UInt8 { chips.count > 1 ? multiplexer.open : 1 }

    var bus: BusState {
        let isSlow = bridge_bus_is_slow(core)
        return BusState(
            slowness: isSlow ? 4 : 1, isGarbled: hasSwappedWires || hasWeakPullUps && !isSlow)
    }

    /// Starts a transfer. If other channels are selected, the multiplexer is switched first. Before
    /// an untimed transfer, the selected channels are also read back, unless they have been read
    /// back since the last switch.
    func begin(_ next: bridge_transfer) {
        let slowness = bus.slowness
        var start = time
        if isSensorTransfer {
            transfer = (next, start, start + SensorTransfer.time(of: next) * slowness)
            return
        }
        if chips.count > 1, next.actuators != selected {
            select(next.actuators)
            start += RegisterTransfer.switchTime * slowness
        }
        if chips.count > 1, checked != selected, bridge_bus_is_untimed(core) {
            checked = bus.isGarbled ? 0 : multiplexer.open
            start += RegisterTransfer.switchTime * slowness
        }
        let duration = next.is_read ? RegisterTransfer.readTime : RegisterTransfer.writeTime
        transfer = (next, start, start + duration * slowness)
    }

    func finishTransfer() {
        guard let running = transfer, running.end <= time else { return }
        areTouched = true
        transfer = nil
        guard !isSensorTransfer else { return finishSensorTransfer(running.start) }
        guard !bridge_bus_is_switching(core) else {
            return bridge_bus_done(core, true, 0)
        }
        guard !bridge_bus_is_untimed(core) || chips.count == 1 || checked == selected else {
            return endTransfer(isAcknowledged: false)
        }
        // All selected chips receive the same transfer, but each may accept a different part of it.
        // If several chips send a byte at the same time, a 0 bit overrides a 1 bit.
        let parts = actuators.filter { open >> $0 & 1 != 0 }.map {
            put(running.transfer, to: Int($0), start: running.start, end: running.end)
        }
        for part in parts { carried.append(part.0) }
        let isAcknowledged = parts.contains { $0.0.isAcknowledged }
        let value = parts.reduce(0xFF) { $1.0.isAcknowledged ? $0 & $1.1 : $0 }
        endTransfer(isAcknowledged: isAcknowledged, value)
    }

    private func endTransfer(isAcknowledged: Bool, _ value: UInt8 = 0) {
        if !isAcknowledged, chips.count > 1 { selected = 0 }
        bridge_bus_done(core, isAcknowledged, value)
    }

    /// Performs a register transfer with one chip. Returns the transaction and the byte that was
    /// read.
    private func put(
        _ transfer: bridge_transfer, to actuator: Int, start: BoardTime, end: BoardTime
    ) -> (BusTransaction, UInt8) {
        onTransfer?(transferCount)
        transferCount += 1
        let chip = chips[actuator]
        let done = RegisterTransfer(transfer, with: chip, on: bus, start: start, end: end)
        let transaction = BusTransaction(
            start: start, end: end, actuator: actuator, bytes: done.bytes,
            isAcknowledged: done.isAcknowledged, drive: chip.drive(at: end))
        return (transaction, done.value)
    }
}
