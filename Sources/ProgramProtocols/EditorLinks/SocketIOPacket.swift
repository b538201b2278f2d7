// SocketIOPacket: the packets of Socket.IO 5. Each packet is sent in one Engine.IO message.

import JSONText

/// A packet of Socket.IO, protocol revision 5, in the namespace `/`.
///
/// A packet begins with its type. In a packet with binary attachments, the number of attachments
/// and a hyphen follow. If the sender requests an acknowledgment, the number of the acknowledgment
/// follows. The rest of the packet is JSON (socket.io-protocol, "Packet encoding").
public enum SocketIOPacket: Sendable, Equatable {
    /// The client requests a connection to the namespace, or the server accepts the connection.
    case connect
    /// The connection to the namespace has ended.
    case disconnect
    /// An event with its arguments.
    case event(String, [JSONValue], acknowledgement: Int?)
    /// The acknowledgment of an event.
    case acknowledgement
    /// The server refuses the connection to the namespace for the given reason.
    case refusal(String)
    /// An event or an acknowledgment with binary attachments, which follow in separate binary
    /// messages.
    case binary(attachments: Int)

    /// The maximum number of attachments to a packet.
    public static let attachmentsMax = 16

    /// Reads a packet.
    ///
    /// - Throws: ``EditorLinkError`` if the text is not a packet, or if the packet belongs to
    ///   another namespace.
    public init(_ text: String) throws(EditorLinkError) {
        var rest = Substring(text)
        guard let type = rest.popFirst() else {
            throw EditorLinkError("Socket.IO: received an empty packet")
        }
        let attachments = type == "5" || type == "6" ? try Self.attachments(&rest) : 0
        try Self.checkNamespace(&rest)
        switch type {
        case "0": self = .connect
        case "1": self = .disconnect
        case "2":
            let number = Self.number(&rest)
            self = try Self.event(String(rest), acknowledgement: number)
        case "3": self = .acknowledgement
        case "4":
            let reason = (try? JSONValue.message(String(rest), of: ""))?["message"]?.string
            self = .refusal((reason ?? "no reason is given").asNameOfStranger)
        case "5", "6": self = .binary(attachments: attachments)
        default:
            throw EditorLinkError(
                "Socket.IO: the type of a packet must be 0 to 6, not "
                    + "\"\(String(type).asNameOfStranger)\""
            )
        }
    }

    private static func event(
        _ text: String, acknowledgement: Int?
    ) throws(EditorLinkError) -> SocketIOPacket {
        let value = try JSONValue.message(text, of: "Socket.IO: an event")
        guard let elements = value.elements, let name = elements.first?.string else {
            throw EditorLinkError("Socket.IO: an event must be an array that begins with a name")
        }
        return .event(name, Array(elements.dropFirst()), acknowledgement: acknowledgement)
    }

    private static func attachments(_ rest: inout Substring) throws(EditorLinkError) -> Int {
        guard let count = number(&rest), rest.popFirst() == "-", count <= attachmentsMax else {
            throw EditorLinkError(
                "Socket.IO: the type of a packet with attachments must be followed by their "
                    + "number, at most \(attachmentsMax), and a hyphen"
            )
        }
        return count
    }

    /// Removes the name of the namespace from the beginning of the text. Only the namespace `/` is
    /// allowed.
    private static func checkNamespace(_ rest: inout Substring) throws(EditorLinkError) {
        guard rest.first == "/" else { return }
        let name = rest.prefix { $0 != "," }
        guard name == "/" else {
            throw EditorLinkError(
                "Socket.IO: the namespace \(String(name).asNameOfStranger) was not requested")
        }
        rest = rest.dropFirst(2)
    }

    /// Removes and returns a number of up to 9 digits at the beginning of the text; nil if the text
    /// does not begin with a number.
    private static func number(_ rest: inout Substring) -> Int? {
        let digits = rest.prefix(9).prefix { ("0"..."9").contains($0) }
        guard let number = Int(digits) else { return nil }
        rest = rest[digits.endIndex...]
        return number
    }

    /// Returns the text of an event.
    public static func text(ofEvent name: String, _ argument: JSONValue? = nil) -> String {
        let elements = [JSONValue(.string(name))] + (argument.map { [$0] } ?? [])
        return "2" + JSONWriter.text(of: JSONValue(.array(elements)), layout: .compact)
    }
}
