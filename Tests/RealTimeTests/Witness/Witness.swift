// Witness: measures stalls of this computer.

import Foundation
import Synchronization
import TestSupport

/// A set of threads, one per processor, that try to run every few milliseconds and record their
/// wake-up delay.
///
/// A program that computes continuously, such as a simulator, may wait for a processor while
/// threads that mostly sleep are scheduled immediately. Linux reports the total waiting time of
/// each thread. The witness also records the waiting times of the programs that tests start, and of
/// their child processes, such as the server of a board.
final class Witness: Sendable {
    static let shared = Witness()

    /// The interval between two measurements, in microseconds.
    private static let interval: Int64 = 5_000
    /// The number of measurements after which the programs are also measured. Measuring the
    /// programs takes a millisecond.
    private static let looksPerProgram = 4

    private struct State {
        var records: [Int: StallRecord] = [:]
        /// The times at which the threads should wake up.
        var due: [Int: Int64] = [:]
    }

    /// The monitored programs, and the times that Linux has reported for them.
    private struct Programs {
        /// The total time for which each thread of a program has waited for a processor.
        var waited: [pid_t: Int64] = [:]
        /// The programs that tests have started, and the child processes of these programs. Some
        /// child processes outlive their parent processes.
        var all: Set<pid_t> = []
    }

    private let state = Mutex(State())
    /// A lock that is held while the waiting times are read from Linux, so that no wait is recorded
    /// twice.
    private let programs = Mutex(Programs())

    private init() {
        for processor in 0..<ProcessInfo.processInfo.activeProcessorCount {
            // The witness gives its own threads ids up to 0, because the thread ids of programs are
            // greater than 0.
            Thread.detachNewThread { self.watch(-processor) }
        }
    }

    /// Returns the longest stall since a given time, in microseconds, including a stall that is
    /// still in progress.
    func longestStall(since start: Int64) -> Int64 {
        recordPrograms()
        let now = Self.now()
        return state.withLock { state in
            let ended = state.records.values.map { $0.longest(since: start) }
            return (ended + state.due.values.map { now - $0 }).max() ?? 0
        }
    }

    /// Returns the time of the host's clock in microseconds.
    static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }

    private func watch(_ thread: Int) {
        var looks = 0
        while true {
            let due = Self.now() + Self.interval
            state.withLock { $0.due[thread] = due }
            usleep(useconds_t(Self.interval))
            let now = Self.now()
            state.withLock {
                $0.records[thread, default: StallRecord()].add(now - due, endingAt: now)
            }
            looks += 1
            if thread == 0, looks % Self.looksPerProgram == 0 { recordPrograms() }
        }
    }

    private func recordPrograms() {
        programs.withLock { programs in
            let now = Self.now()
            var open = Array(programs.all.union(RunningTool.processes))
            var found = Programs()
            while let program = open.popLast() {
                let threads = Self.threads(of: program)
                guard !threads.isEmpty, found.all.insert(program).inserted else { continue }
                for thread in threads {
                    let folder = "/proc/\(program)/task/\(thread)"
                    found.waited[thread] = Self.numbers("\(folder)/schedstat")
                        .dropFirst().first.map { $0 / 1_000 }
                    open += Self.numbers("\(folder)/children").map(pid_t.init)
                }
            }
            state.withLock { state in
                for (thread, time) in found.waited {
                    guard let before = programs.waited[thread] else { continue }
                    state.records[Int(thread), default: StallRecord()]
                        .add(time - before, endingAt: now)
                }
            }
            programs = found
        }
    }

    /// Returns the threads of a program, or an empty array if the program has ended or the system
    /// does not report its threads.
    private static func threads(of program: pid_t) -> [pid_t] {
        guard let folder = opendir("/proc/\(program)/task") else { return [] }
        defer { closedir(folder) }
        var threads: [pid_t] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let thread = pid_t(name) { threads.append(thread) }
        }
        return threads
    }

    /// Returns the numbers in a system file, or an empty array if the file does not exist.
    private static func numbers(_ path: String) -> [Int64] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
            .split { $0 == " " || $0 == "\n" }.compactMap { Int64($0) }
    }
}
