// ToolError+Unconfigured: the error for an actuator without a configuration.

extension ToolError {
    /// Creates an error for an actuator that must be configured before it can play.
    init(unconfigured actuator: UInt8, at port: String) {
        self.init(
            .notConfigured,
            "\(port): actuator \(actuator) is not configured, so the board does not drive it",
            advice:
                "give the name of the actuator if `bridge actuator list` contains it, or the "
                + "values of its data sheet, for example:",
            "\(Actuator.Set.example(port: port, actuator: actuator))")
    }
}
