// LoopbackPeer: determines which user owns the other end of a connection within this computer.

import Foundation
import NIOCore

/// Closes connections that belong to other users of this computer. Another user may have seen the
/// URL in the list of processes.
final class LoopbackGate: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    func channelActive(context: ChannelHandlerContext) {
        if let port = context.remoteAddress?.port, let server = context.localAddress?.port,
            LoopbackPeer.isOtherUser(at: port, connectedTo: server)
        {
            return context.close(promise: nil)
        }
        context.fireChannelActive()
    }
}

/// Determines which users own connections to 127.0.0.1, using the connection tables of the Linux
/// kernel.
enum LoopbackPeer {
    /// Returns true if a connection is certain to belong to a user other than the current user and
    /// root.
    ///
    /// - Parameters:
    ///   - port: the port at the other end of the connection.
    ///   - server: the port of the server at this end.
    static func isOtherUser(at port: Int, connectedTo server: Int) -> Bool {
        for file in ["/proc/net/tcp", "/proc/net/tcp6"] {
            guard let user = user(at: port, connectedTo: server, in: table(file)) else { continue }
            return user != 0 && user != geteuid()
        }
        return false
    }

    /// Returns the text of a kernel table; an empty string if the table does not exist.
    /// `String(contentsOfFile:)` cannot be used, because it reads only the first memory page of
    /// such a file, which contains only 27 connections.
    static func table(_ path: String) -> String {
        let bytes = try? FileHandle(forReadingAtPath: path)?.readToEnd()
        return String(decoding: bytes ?? Data(), as: UTF8.self)
    }

    /// Returns the user id of the owner of a connection; nil if the table does not contain the
    /// connection.
    static func user(at port: Int, connectedTo server: Int, in table: String) -> uid_t? {
        // An example of a line: "  2: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000
        // 00000000  1000 ..."
        let ends = [port, server].map { String(format: "0100007F:%04X", $0) }
        for line in table.split(separator: "\n") {
            let fields = line.split(separator: " ", maxSplits: 8)
            guard fields.count > 7, fields[1].hasSuffix(ends[0]), fields[2].hasSuffix(ends[1])
            else { continue }
            return uid_t(fields[7])
        }
        return nil
    }
}
