// The commands of clients for the device.

extension ButtplugSession {
    /// Performs a command for the device.
    mutating func perform(
        _ message: ButtplugMessage, _ version: Version
    ) throws(ButtplugRefusal) {
        switch (message.name, version) {
        case ("OutputCmd", .four): try setOutput(message.fields)
        case ("StopCmd", .four): try stop(message.fields)
        case ("ScalarCmd", .three): try setScalars(message.fields)
        case ("StopDeviceCmd", .three):
            try checkDevice(message.fields)
            rest()
        case ("StopAllDevices", .three): rest()
        case ("InputCmd", .four), ("SensorReadCmd", .three), ("SensorSubscribeCmd", .three):
            throw ButtplugRefusal(
                .device, "\(message.name): the device has no sensors; it has only vibrators")
        default:
            throw ButtplugRefusal(
                .message,
                "\(message.name): this server does not support this message in version "
                    + "\(version.rawValue)")
        }
    }

    // MARK: Version 4

    private mutating func setOutput(_ fields: ButtplugFields) throws(ButtplugRefusal) {
        try checkDevice(fields)
        let index = try vibrator(fields, "FeatureIndex")
        let steps = board.vibrators[index].steps
        let command = try fields.fields("Command")
        guard command.has("Vibrate"), command.object.members.count == 1 else {
            throw ButtplugRefusal(
                .device,
                "\(fields.name): the device has only vibrators; expected the command Vibrate"
            )
        }
        let value = try command.fields("Vibrate").whole("Value")
        guard value <= steps else {
            throw ButtplugRefusal(.device, "\(fields.name): Value must be 0 to \(steps)")
        }
        levels[index] = Double(value) / Double(steps)
    }

    private mutating func stop(_ fields: ButtplugFields) throws(ButtplugRefusal) {
        if fields.has("DeviceIndex") { try checkDevice(fields) }
        let index = fields.has("FeatureIndex") ? try vibrator(fields, "FeatureIndex") : nil
        _ = try fields.flag("Inputs")
        guard try fields.flag("Outputs") else { return }
        if let index { levels[index] = 0 } else { rest() }
    }

    // MARK: Version 3

    /// Sets the levels in a list. If any level in the list is invalid, sets none of the levels.
    private mutating func setScalars(_ fields: ButtplugFields) throws(ButtplugRefusal) {
        try checkDevice(fields)
        var levels = levels
        for scalar in try fields.list("Scalars") {
            levels[try vibrator(scalar, "Index")] = try level(scalar)
        }
        self.levels = levels
    }

    private func level(_ scalar: ButtplugFields) throws(ButtplugRefusal) -> Double {
        guard try scalar.text("ActuatorType") == "Vibrate" else {
            throw ButtplugRefusal(
                .device,
                "\(scalar.name): ActuatorType must be Vibrate, the type of all actuators")
        }
        let level = try scalar.number("Scalar")
        guard (0...1).contains(level) else {
            throw ButtplugRefusal(.message, "\(scalar.name): Scalar must be 0 to 1")
        }
        return level
    }

    // MARK: The device

    private func checkDevice(_ fields: ButtplugFields) throws(ButtplugRefusal) {
        let index = try fields.whole("DeviceIndex")
        guard index == ButtplugBoard.index else {
            throw ButtplugRefusal(
                .device,
                "\(fields.name): there is no device \(index); the only device is "
                    + "\(ButtplugBoard.index)")
        }
    }

    /// Returns the number of a vibrator.
    private func vibrator(
        _ fields: ButtplugFields, _ key: String
    ) throws(ButtplugRefusal) -> Int {
        let index = try fields.whole(key)
        guard levels.indices.contains(index) else {
            throw ButtplugRefusal(
                .device, "\(fields.name): \(key) must be 0 to \(levels.count - 1)")
        }
        return index
    }
}
