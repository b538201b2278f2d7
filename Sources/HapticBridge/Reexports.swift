// The modules that `import HapticBridge` makes available in addition to its own names.

// Apps that use engines also use boards, settings and the statistics of engines.
@_exported import BoardEngine
// `import CoreHaptics` alone makes `TimeInterval`, `URL`, `Data` and `NSObject` available, and code
// that was written for Core Haptics has no other import. All of Foundation is exported because
// FoundationEssentials has no `NSObject`.
@_exported import Foundation
@_exported import HapticBoards
