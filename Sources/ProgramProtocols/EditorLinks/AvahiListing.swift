// AvahiListing: parses the output of avahi-browse, a program that lists the services on a network.

/// A service on the network whose address is known.
public struct NetworkService: Sendable, Equatable {
    /// The name of the service, without control characters.
    public let name: String
    /// The numeric address.
    public let address: String
    /// The TCP port.
    public let port: Int

    /// Parses the output of `avahi-browse --parsable --resolve`. The fields of each line are
    /// separated by semicolons. Special bytes in a name are written as `\` and three decimal
    /// digits.
    public static func list(_ text: String) -> [NetworkService] {
        text.split(separator: "\n").compactMap(NetworkService.init(line:))
    }

    private init?(line: Substring) {
        let fields = line.split(separator: ";", omittingEmptySubsequences: false)
        guard fields.count >= 9, fields[0] == "=", let port = Int(fields[8]), 1...65_535 ~= port
        else { return nil }
        // A link-local address can be used only together with the name of a network interface.
        let isLocal = fields[7].hasPrefix("fe80:")
        address = String(fields[7]) + (isLocal ? "%" + fields[1] : "")
        name = Self.decoded(fields[3]).asNameOfStranger
        self.port = port
    }

    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            if byte == UInt8(ascii: "\\"), digits.count == 3,
                let value = UInt8(String(decoding: digits, as: UTF8.self))
            {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else if byte == UInt8(ascii: "\\"), let next = rest.popFirst() {
                bytes.append(next)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
