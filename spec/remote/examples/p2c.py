#!/usr/bin/env python3
"""A balancer by power of two choices, held against picklaw over its protocol."""

import json
import random
import sys


class Balancer:
    """Picks the less loaded of two distinct random servers; ties are fair."""

    def __init__(self, servers, seed):
        self.random = random.Random(seed)
        self.loads = {}
        self.out = set()
        self.leases = {}
        self.update(servers)

    def update(self, servers):
        self.fleet = [s["id"] for s in servers]
        self.out = {s["id"] for s in servers if s["weight"] == 0}
        for i in self.fleet:  # who left and comes back still has its requests
            self.loads.setdefault(i, 0)

    def sample(self, eligible):
        return self.random.sample(eligible, min(2, len(eligible)))

    def pick(self, request):
        eligible = [i for i in self.fleet if i not in self.out]
        if not eligible:
            raise ValueError("no server is eligible")
        server = min(self.sample(eligible), key=self.loads.get)  # the first of equals
        self.leases[request] = server
        self.loads[server] += 1
        return server

    def done(self, request):
        if request not in self.leases:
            raise ValueError(f"request {request} is not in flight")
        self.loads[self.leases.pop(request)] -= 1

    def eject(self, server, ejected):
        (self.out.add if ejected else self.out.discard)(server)


def serve(kind=Balancer):
    fleets = {}
    for line in sys.stdin:
        q = json.loads(line)
        a, op, fleet = {"seq": q["seq"]}, q["op"], q.get("fleet")
        try:
            if op == "hello":
                a.update(protocol=1, can=["update", "eject", "in_flight"])
            elif op == "create":
                fleets[fleet] = kind(q["servers"], q["seed"])
            elif op == "pick":
                a["server"] = fleets[fleet].pick(q["request"])
            elif op == "done":
                fleets[fleet].done(q["request"])
            elif op == "update":
                fleets[fleet].update(q["servers"])
            elif op == "eject":
                fleets[fleet].eject(q["server"], q["ejected"])
            elif op == "in_flight":
                a["count"] = fleets[fleet].loads[q["server"]]
            elif op == "close":
                del fleets[fleet]
            else:
                raise ValueError(f"unknown operation {op}")
        except ValueError as e:
            a["error"] = str(e)
        print(json.dumps(a), flush=True)


if __name__ == "__main__":
    serve()
