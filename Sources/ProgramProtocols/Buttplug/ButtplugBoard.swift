// ButtplugBoard: a board as a device of the Buttplug message specification.

/// The board that a session offers to its client: one device with a vibrator for each actuator.
public struct ButtplugBoard: Sendable {
    /// A vibrator of the device.
    public struct Vibrator: Sendable {
        /// The description, which clients display.
        public var description: String
        /// The maximum level. Levels are whole numbers that begin at 0.
        public var steps: Int

        /// Creates the description of a vibrator.
        public init(_ description: String, steps: Int) {
            (self.description, self.steps) = (description, steps)
        }
    }

    /// The name of the device.
    public var name: String
    /// The vibrators. The number of a vibrator is its position in this array.
    public var vibrators: [Vibrator]

    /// Creates the description of a board.
    public init(name: String, vibrators: [Vibrator]) {
        (self.name, self.vibrators) = (name, vibrators)
    }

    /// The number of the device, which is the only device of the server.
    static let index = 0
    /// The time that a client waits between two messages for the device, in milliseconds. If levels
    /// arrive faster, a board plays only the newest one.
    static let timingGap = 2
}
