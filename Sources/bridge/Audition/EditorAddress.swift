// EditorAddress: the network address of an editor.

import ProgramProtocols
import ToolSupport

/// An editor at an address.
struct EditorAddress: Sendable, CustomStringConvertible {
    let editor: Editor
    let host: String
    let port: Int
    /// The name of the computer that runs the editor; nil if unknown.
    var computer: String?

    init(_ editor: Editor, host: String, port: Int, computer: String? = nil) {
        (self.editor, self.host, self.port) = (editor, host, port)
        self.computer = computer
    }

    /// Parses `HOST:PORT`; an IPv6 address is enclosed in brackets. Throws `ToolError`.
    init(_ editor: Editor, _ text: String) throws(ToolError) {
        let parts = text.wholeMatch(of: /(\[[0-9A-Fa-f:.%\w]+\]|[^:\[\]]+)(?::(\d{1,5}))?/)
        let usual = editor == .studio ? StudioAnnouncement.usualPort : nil
        guard let host = parts?.output.1, let port = parts?.output.2.flatMap({ Int($0) }) ?? usual,
            1...65_535 ~= port
        else {
            throw ToolError(
                .usage, "--connect \(text): expected HOST:PORT with a port from 1 to 65535",
                advice: "enclose an IPv6 address in brackets: [fe80::1%eth0]:50123")
        }
        let isBracketed = host.hasPrefix("[")
        self.init(
            editor, host: String(isBracketed ? host.dropFirst().dropLast() : host), port: port)
    }

    var description: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return "\(editor.name) at \(host):\(port)" + (computer.map { " (\($0))" } ?? "")
    }
}
