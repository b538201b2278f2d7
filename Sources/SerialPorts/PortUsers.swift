// PortUsers: finds the programs that use ports, without opening any port.

import CSerialPort
import POSIX

/// The programs that use ports at a given moment and that the system reports: programs that have
/// locked a port, have opened a port, or have created a lock file for a port. Locks and open files
/// can be detected only on Linux. Open files can be detected only for processes of the same user.
struct PortUsers {
    private let system: PortSystem
    /// The lines of the system's list of locks, each split at its spaces.
    private let locks: [[Substring]]
    /// The processes that have devices open, by device number.
    private let openers: [UInt64: String]

    /// Finds the programs.
    ///
    /// - Parameter openFiles: true to examine the open files of all processes, which takes about 4
    ///   µs per file: 60 ms for 15,000 files. If false, programs are detected only by their locks
    ///   and lock files.
    init(in system: PortSystem = PortSystem(), openFiles: Bool = true) {
        self.system = system
        locks = SystemFile.text(of: "\(system.processes)/locks").split(separator: "\n")
            .map { $0.split(separator: " ") }
        openers = openFiles ? Self.openers(in: system) : [:]
    }

    /// Returns the program that uses `path`, for example "avrdude (process 4711)"; nil if no
    /// program is detected, or if the program is the process `ignored`.
    func holder(of path: String, besides ignored: Int32? = nil) -> String? {
        guard let file = SystemFile.status(of: path) else { return nil }
        guard let process = locker(of: file) ?? opener(of: file) else {
            return lockFileOwner(of: path)
        }
        return process == ignored.map(String.init) ? nil : Self.name(of: process, in: system)
    }

    // MARK: Locks

    /// Returns the process that has locked a file.
    private func locker(of file: stat) -> String? {
        #if os(Linux)
            // An example of a line: "1: FLOCK ADVISORY WRITE 4711 00:06:123 0 EOF". The sixth field
            // contains the device number in hexadecimal and the inode number, which is unique only
            // within that device.
            let device = UInt64(file.st_dev)
            let numbers = [device_major(device), device_minor(device)].map { $0.hexadecimal(2) }
            let wanted = "\(numbers[0]):\(numbers[1]):\(file.st_ino)"
            return locks.first { fields in
                fields.count > 5 && fields[1] == "FLOCK" && fields[4] != "-1" && fields[5] == wanted
            }.map { String($0[4]) }
        #else
            return nil
        #endif
    }

    // MARK: Open files

    private func opener(of file: stat) -> String? {
        // A pseudo-terminal is also open in the program at its other end, so the programs that have
        // the pseudo-terminal open are not counted.
        guard file.st_mode & S_IFMT == S_IFCHR, !isPseudoTerminal(file) else { return nil }
        return openers[UInt64(truncatingIfNeeded: file.st_rdev)]
    }

    private func isPseudoTerminal(_ file: stat) -> Bool {
        #if os(Linux)
            136...143 ~= device_major(UInt64(file.st_rdev))
        #else
            false
        #endif
    }

    /// Returns the devices that other processes have open.
    private static func openers(in system: PortSystem) -> [UInt64: String] {
        var openers: [UInt64: String] = [:]
        let own = "\(getpid())"
        for process in SystemFile.names(in: system.processes) ?? []
        where process != own && process.allSatisfy(\.isNumber) {
            let folder = "\(system.processes)/\(process)/fd"
            for name in SystemFile.names(in: folder) ?? [] {
                // Files that are not device files are skipped, because they may be on a server that
                // does not respond.
                guard SystemFile.destination(of: "\(folder)/\(name)")?.hasPrefix("/dev/") == true,
                    let file = SystemFile.status(of: "\(folder)/\(name)"),
                    file.st_mode & S_IFMT == S_IFCHR
                else { continue }
                openers[UInt64(truncatingIfNeeded: file.st_rdev)] = process
            }
        }
        return openers
    }

    // MARK: Lock files

    /// Returns the program that has created a lock file for `path`; nil if that program is no
    /// longer running.
    private func lockFileOwner(of path: String) -> String? {
        let name = (realPath(of: path) ?? path).split(separator: "/").last ?? ""
        for folder in system.lockFolders {
            let file = "\(folder)/LCK..\(name)"
            guard SystemFile.status(of: file) != nil else { continue }
            guard let process = Self.process(in: SystemFile.text(of: file)) else {
                return "the program that created \(file)"
            }
            if kill(process, 0) == 0 || errno == EPERM {
                return "\(Self.name(of: "\(process)", in: system)), according to \(file)"
            }
        }
        return nil
    }

    /// Returns the decimal process id at the beginning of a lock file; nil if the file does not
    /// begin with a process id.
    private static func process(in text: String) -> Int32? {
        text.split(whereSeparator: \.isWhitespace).first.flatMap { Int32($0) }
            .flatMap { $0 > 0 ? $0 : nil }
    }

    // MARK: Names

    private static func name(of process: String, in system: PortSystem) -> String {
        if process == "\(getpid())" { return "this program itself" }
        let name = SystemFile.line(of: "\(system.processes)/\(process)/comm")
        return name.map { "\($0) (process \(process))" } ?? "process \(process)"
    }
}
