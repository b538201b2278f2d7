// ButtplugMessage: a message from a client.

import JSONText

/// A message from a client.
struct ButtplugMessage {
    /// The number that the answer repeats.
    let id: Int
    let fields: ButtplugFields
    var name: String { fields.name }

    /// Returns the messages in a text. The text is a list of objects. The only key of each object
    /// is the name of a message.
    static func entries(of text: String) throws(ButtplugRefusal) -> [JSONValue] {
        do throws(JSONError) {
            let value = try JSONReader.read(Array(text.utf8), mode: .strict).value
            if let entries = value.elements, !entries.isEmpty { return entries }
        } catch {
            throw ButtplugRefusal(
                .message,
                "the text is not JSON: \(error.location): \(error.message); expected \(example)")
        }
        throw ButtplugRefusal(.message, "the text is not a list of messages; expected \(example)")
    }

    init(_ entry: JSONValue) throws(ButtplugRefusal) {
        guard case .object(let object) = entry.kind, object.members.count == 1,
            case .object(let members) = object.members[0].value.kind
        else {
            throw ButtplugRefusal(
                .message, "an element of the list is not a message; expected \(Self.example)")
        }
        fields = ButtplugFields(
            name: object.members[0].key.asNameOfStranger, object: members)
        id = try fields.whole("Id")
        guard id > 0 else {
            throw ButtplugRefusal(
                .message, "\(fields.name): the Id of a client's message must be at least 1")
        }
    }

    private static let example = #"a list such as [{"Ping": {"Id": 1}}]"#
}
