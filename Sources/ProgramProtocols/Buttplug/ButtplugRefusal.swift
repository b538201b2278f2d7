// ButtplugRefusal: the reason why a message from a client is refused.

/// The reason why a message from a client is refused. The reason is sent to the client as an Error.
struct ButtplugRefusal: Error {
    /// The class of an error, with the number that the specification assigns to it.
    enum Code: Int {
        /// The connection was not opened correctly.
        case handshake = 1
        /// No message arrived within the ping time.
        case ping = 2
        /// The message is invalid.
        case message = 3
        /// The device does not exist or cannot perform the command.
        case device = 4
    }

    let code: Code
    let text: String

    init(_ code: Code, _ text: String) { (self.code, self.text) = (code, text) }
}
