// ToolError+Unconfigured: the error for an actuator without a configuration.

extension ToolError {
    /// Creates an error for an actuator that must be configured before it can play.
    package init(unconfigured actuator: UInt8, at port: String) {
        self.init(
            .notConfigured,
            "\(port): actuator \(actuator) is not configured, so the board does not drive it",
            advice:
                "specify the name of the actuator if `bridge actuator list` contains it, or the "
                + "values of its data sheet, for example:",
            "\(Self.configurationExample(port: port, actuator: actuator))")
    }

    /// Returns a command that configures an actuator, for the user to adapt to its data sheet.
    package static func configurationExample(port: String, actuator: UInt8) -> String {
        "bridge actuator set --port \(port) --actuator \(actuator) "
            + "--kind lra --resonance 170 --rated 2.5 --overdrive 3.5"
    }
}
