// LoopbackPeer: the user at the other end of a connection within this computer.

import Foundation
import NIOCore

/// Closes a connection of another user of this computer, who may have read the URL in the list of
/// processes.
final class LoopbackGate: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    func channelActive(context: ChannelHandlerContext) {
        if let port = context.remoteAddress?.port, let server = context.localAddress?.port,
            LoopbackPeer.isStranger(at: port, connectedTo: server)
        {
            return context.close(promise: nil)
        }
        context.fireChannelActive()
    }
}

/// The users of connections to 127.0.0.1, by the kernel's tables of connections, which Linux has.
enum LoopbackPeer {
    /// Returns whether a connection is certainly of another user than this one and root.
    ///
    /// - Parameters:
    ///   - port: the port at the other end.
    ///   - server: the port at this end.
    static func isStranger(at port: Int, connectedTo server: Int) -> Bool {
        for file in ["/proc/net/tcp", "/proc/net/tcp6"] {
            guard let user = user(at: port, connectedTo: server, in: table(file)) else { continue }
            return user != 0 && user != geteuid()
        }
        return false
    }

    /// Returns a table of the kernel; an empty text if there is none. `String(contentsOfFile:)` takes the
    /// first page of such a file, 27 connections, for all of it.
    static func table(_ path: String) -> String {
        let bytes = try? FileHandle(forReadingAtPath: path)?.readToEnd()
        return String(decoding: bytes ?? Data(), as: UTF8.self)
    }

    /// Returns the user of a connection according to a table; nil if it is not there.
    static func user(at port: Int, connectedTo server: Int, in table: String) -> uid_t? {
        // An example: "  2: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000 ..."
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
