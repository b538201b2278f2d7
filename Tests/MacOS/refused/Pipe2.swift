// pipe2
import Darwin

func refused() {
    var ends: [Int32] = [0, 0]
    _ = pipe2(&ends, 0)
}
